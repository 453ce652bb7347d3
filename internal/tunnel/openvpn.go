package tunnel

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"path/filepath"
	"strings"

	"unchoke/internal/linux/proc"
	"unchoke/internal/record"
)

// openvpnConfig is what a configuration, or the command line, says that bears
// on the way of the packets.
type openvpnConfig struct {
	device     string // dev: tun, tun0, tap, …
	protocol   string // proto: udp, tcp-client, …; empty is udp
	management string // address and port, or a path and "unix"
	unix       bool
	server     bool
}

// parseOpenvpnConfig reads a configuration file. Directives are words on a
// line; # and ; begin a comment.
func parseOpenvpnConfig(b []byte) openvpnConfig {
	var c openvpnConfig
	for line := range strings.Lines(string(b)) {
		c.take(strings.Fields(strings.TrimLeft(line, " \t-")))
	}
	return c
}

// take applies one directive: its name and its parameters.
func (c *openvpnConfig) take(words []string) {
	if len(words) < 2 {
		return
	}
	for i := range words {
		words[i] = strings.Trim(words[i], `"'`)
	}
	switch words[0] {
	case "dev":
		c.device = words[1]
	case "proto":
		c.protocol = words[1]
	case "remote": // host [port [proto]]
		if len(words) > 3 && c.protocol == "" {
			c.protocol = words[3]
		}
	case "server", "server-ipv6", "mode":
		c.server = c.server || words[0] != "mode" || words[1] == "server"
	case "management":
		if len(words) > 2 {
			c.management, c.unix = net.JoinHostPort(words[1], words[2]), words[2] == "unix"
			if c.unix {
				c.management = words[1]
			}
		}
	}
}

// serves says whether a configuration's device may be this one: tun stands for
// the first that is free.
func (c openvpnConfig) serves(device string) bool {
	return c.device == device || (c.device == "tun" || c.device == "tap") && strings.HasPrefix(device, c.device)
}

// parseOpenvpn reads the answers of the management interface to `version`,
// `state` and `status 3`, one after the other, for the peer that packets to an
// address go to (doc/management-notes.txt; multi.c, multi_print_status).
func parseOpenvpn(text string, q query) (state, error) {
	s := state{nearTCP: record.Kernel}
	inside := map[string]string{} // a server's clients: real addresses by inner ones
	var found nearest[string]
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if v, ok := strings.CutPrefix(line, "OpenVPN Version: "); ok {
			name, rest, _ := strings.Cut(v, " ")
			number, _, _ := strings.Cut(rest, " ")
			s.program = strings.ToLower(name) + " " + number
			continue
		}
		f := strings.Split(line, "\t")
		switch {
		case len(f) > 4 && f[0] == "CLIENT_LIST": // common name, real address, inner addresses
			inside[f[1]] = f[2]
			for _, inner := range f[3:5] {
				if a, err := netip.ParseAddr(inner); err == nil {
					found.offer(single(a), q.address, f[1])
				}
			}
		case len(f) > 2 && f[0] == "ROUTING_TABLE": // inner address or network, common name
			if prefix, err := netip.ParsePrefix(f[1]); err == nil {
				found.offer(prefix, q.address, f[2])
			} else if a, err := netip.ParseAddr(strings.TrimSuffix(f[1], "C")); err == nil {
				found.offer(single(a), q.address, f[2])
			}
		case len(f) > 2 && f[0] == "GLOBAL_STATS" && f[1] == "dco_enabled":
			s.carrier = record.Userspace
			if f[2] == "1" {
				s.carrier = record.Kernel
			}
		default:
			s.takeState(strings.Split(line, ","))
		}
	}
	if s.program == "" {
		return state{}, anotherVersion("openvpn", errors.New("no version"))
	}
	if found.bits > 0 {
		s.peer, s.endpoint = found.peer, realAddress(inside[found.peer])
	}
	if s.endpoint != "" {
		s.via = record.Direct
	} else {
		s.via = record.Idle
	}
	return s, nil
}

// takeState reads a line of a client's state: time, name, detail, inner
// address, server's address and port, …
func (s *state) takeState(f []string) {
	if len(f) < 6 || f[1] != "CONNECTED" {
		return
	}
	if a, err := netip.ParseAddr(f[4]); err == nil {
		s.peer = "OpenVPN server"
		s.endpoint = net.JoinHostPort(a.String(), f[5])
	}
}

// realAddress is ip:port as the status writes it: some versions put the
// protocol before it.
func realAddress(s string) string {
	for _, p := range []string{"tcp4-server:", "tcp6-server:", "udp4:", "udp6:"} {
		s = strings.TrimPrefix(s, p)
	}
	return s
}

// askOpenvpn asks each OpenVPN of this host that may have the device.
func askOpenvpn(ctx context.Context, h host, q query) (state, error) {
	var refused error
	for _, dir := range running(h.Proc(), "openvpn") {
		c := openvpnOf(h, arguments(h.Proc(), dir))
		if !c.serves(q.device.Name) {
			continue
		}
		if c.management == "" {
			refused = errors.New("openvpn's management interface is off: see management in its configuration")
			continue
		}
		text, err := manage(ctx, h, c)
		if err != nil {
			return state{}, err
		}
		s, err := parseOpenvpn(text, q)
		if err != nil {
			return state{}, err
		}
		if q.device.Kind == "ovpn" {
			s.carrier = record.Kernel
		}
		if strings.HasPrefix(c.protocol, "tcp") {
			// No relay, and yet TCP inside TCP.
			s.unknown = append(s.unknown, tcpOverTCP)
		}
		return s, nil
	}
	if refused == nil {
		refused = fmt.Errorf("openvpn: %w", errAbsent)
	}
	return state{}, refused
}

// tcpOverTCP is said of an OpenVPN whose packets travel in TCP.
const tcpOverTCP = "what the inner TCP alone could do: this OpenVPN runs over TCP, so that each loss is repaired twice (use `proto udp`)"

// openvpnOf reads the configuration that a command line names, and the line
// itself.
func openvpnOf(h host, args []string) openvpnConfig {
	var c openvpnConfig
	file := proc.Option(args, "config")
	if file == "" && len(args) == 2 && !strings.HasPrefix(args[1], "-") {
		file = args[1] // openvpn FILE
	}
	if dir := proc.Option(args, "cd"); file != "" && !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	if b, err := h.ReadFile(file); file != "" && err == nil {
		c = parseOpenvpnConfig(b)
	}
	for i, arg := range args {
		if name, ok := strings.CutPrefix(arg, "--"); ok {
			c.take(append([]string{name}, args[i+1:]...))
		}
	}
	return c
}

// manage asks over the management interface, which serves one client at a time:
// another one that is connected leaves this one waiting.
func manage(ctx context.Context, h host, c openvpnConfig) (string, error) {
	network := "tcp"
	if c.unix {
		network = "unix"
	}
	conn, err := h.Dial(ctx, network, c.management)
	if err != nil {
		return "", fmt.Errorf("openvpn's management interface: %w", err)
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if _, err := io.WriteString(conn, "version\nstate\nstatus 3\nquit\n"); err != nil {
		return "", err
	}
	var text strings.Builder
	in := bufio.NewScanner(io.LimitReader(conn, maxStatus))
	for ends := 0; ends < 3 && in.Scan(); {
		line := in.Text()
		if strings.HasPrefix(line, "ENTER PASSWORD:") {
			return "", fmt.Errorf("openvpn's management interface: %w: it wants a password", errForbidden)
		}
		if line == "END" {
			ends++
		}
		text.WriteString(line + "\n")
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return text.String(), in.Err()
}
