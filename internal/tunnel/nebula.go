//go:build !slim

package tunnel

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"unchoke/internal/linux/proc"
	"unchoke/internal/record"
)

// nebulaHost is one of `list-hostmap -json` (control.go, ControlHostInfo).
type nebulaHost struct {
	VPNAddress   string         `json:"vpnIp"`    // up to 1.9
	VPNAddresses []string       `json:"vpnAddrs"` // since 1.10
	Remote       nebulaEndpoint `json:"currentRemote"`
	// RelaysToMe are the inner addresses of the hosts that carry packets from
	// this peer; since 1.6.
	RelaysToMe []netip.Addr `json:"currentRelaysToMe"`
	Cert       *nebulaCert  `json:"cert"`
}

// nebulaCert has the host's name; it stands in an object of its own.
type nebulaCert struct {
	Details struct {
		Name string `json:"name"`
	} `json:"details"`
}

// nebulaEndpoint is an object of ip and port up to 1.9, a text since.
type nebulaEndpoint string

func (e *nebulaEndpoint) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte(`"`)) {
		return json.Unmarshal(b, (*string)(e))
	}
	var pair *struct {
		IP   string `json:"ip"`
		Port uint16 `json:"port"`
	}
	if err := json.Unmarshal(b, &pair); err != nil || pair == nil || pair.IP == "" {
		return err
	}
	*e = nebulaEndpoint(net.JoinHostPort(pair.IP, strconv.Itoa(int(pair.Port))))
	return nil
}

// parseNebula reads a map of hosts for the one with an address.
func parseNebula(b []byte, q query) (state, error) {
	var all []nebulaHost
	if err := json.Unmarshal(b, &all); err != nil {
		return state{}, anotherVersion("nebula", err)
	}
	s := state{program: "nebula", carrier: record.Userspace, nearTCP: record.Kernel, via: record.Idle}
	for _, h := range all {
		if !h.has(q.address) {
			continue
		}
		s.peer, s.target = q.address.String(), record.AtPeer
		if h.Cert != nil && h.Cert.Details.Name != "" {
			s.peer = h.Cert.Details.Name
		}
		switch {
		case h.Remote != "":
			s.via, s.endpoint = record.Direct, string(h.Remote)
		case len(h.RelaysToMe) > 0:
			// A relay is a host of the same network; the packets to it are UDP.
			s.via, s.endpoint = record.PeerRelay, h.RelaysToMe[0].String()
		}
		return s, nil
	}
	return s, nil
}

func (h nebulaHost) has(address netip.Addr) bool {
	for _, text := range append(h.VPNAddresses, h.VPNAddress) {
		if a, err := netip.ParseAddr(text); err == nil && a == address {
			return true
		}
	}
	return false
}

// nebulaConfig is where its configuration is unless the command line says so.
const nebulaConfig = "/etc/nebula/config.yml"

// askNebula asks over Nebula's debugging SSH server, with the user's own ssh
// and keys. It is off unless the configuration has it on.
func askNebula(ctx context.Context, h host, q query) (state, error) {
	config := nebulaConfig
	for _, dir := range running(h.Proc(), "nebula") {
		config = orElse(proc.Option(arguments(h.Proc(), dir), "config"), config)
	}
	b, err := h.ReadFile(config)
	if err != nil {
		return state{}, fmt.Errorf("read %s: %w", config, err)
	}
	listen, user := nebulaSSH(b)
	if listen == "" {
		return state{}, fmt.Errorf("its SSH server is off: see sshd in %s", config)
	}
	if strings.HasPrefix(listen, ":") {
		listen = "127.0.0.1" + listen
	}
	server, err := netip.ParseAddrPort(listen) // and no word that ssh would take for an option
	if err != nil {
		return state{}, fmt.Errorf("sshd.listen in %s: %w", config, err)
	}
	out, err := h.Run(ctx, "ssh", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR",
		"-p", strconv.Itoa(int(server.Port())), "-l", orElse(user, "unchoke"), server.Addr().String(), "list-hostmap -json")
	if err != nil {
		return state{}, err
	}
	return parseNebula(out, q)
}

// nebulaSSH finds in a configuration where the SSH server listens, and its
// first user; an empty place where it is off. It reads the sshd block's own
// lines and no more of YAML.
func nebulaSSH(config []byte) (listen, user string) {
	inside, enabled := false, false
	for _, line := range lines(string(config)) {
		line, _, _ = strings.Cut(strings.TrimRight(line, " \r\n"), " #")
		text := strings.TrimSpace(line)
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		if line[0] != ' ' && line[0] != '\t' {
			inside = strings.HasPrefix(text, "sshd:")
			continue
		}
		key, value, _ := strings.Cut(strings.TrimPrefix(text, "- "), ":")
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		switch {
		case !inside:
		case key == "enabled":
			enabled = value == "true"
		case key == "listen":
			listen = value
		case key == "user" && user == "":
			user = value
		}
	}
	if !enabled {
		return "", ""
	}
	return listen, user
}
