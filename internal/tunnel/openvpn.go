package tunnel

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"

	"unchoke/internal/record"
)

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
		s.peer = found.peer
		s.endpoint, s.transport = realAddress(inside[found.peer])
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

// realAddress is ip:port as the status writes it, and the transport, which
// OpenVPN 2.7 writes before it: udp4:192.0.2.8:40000.
func realAddress(s string) (address, transport string) {
	protocol, rest, _ := strings.Cut(s, ":")
	if strings.HasPrefix(protocol, "tcp") || strings.HasPrefix(protocol, "udp") {
		return rest, transportOf(protocol)
	}
	return s, ""
}

// askOpenvpn asks each OpenVPN of this host that may have the device.
func askOpenvpn(ctx context.Context, h host, q query) (state, error) {
	var told state // what a configuration tells
	var refused error
	for _, dir := range running(h.Proc(), "openvpn") {
		c := openvpnOf(h, dir)
		if !c.serves(q.device.Name) {
			continue
		}
		if err := c.refuses(); err != nil {
			told.transport, refused = c.transport(""), err
			continue
		}
		text, err := manage(ctx, h, c)
		if err != nil {
			return state{transport: c.transport("")}, err
		}
		s, err := parseOpenvpn(text, q)
		if err != nil {
			return state{}, err
		}
		if s.transport == "" {
			_, port, _ := net.SplitHostPort(s.endpoint)
			s.transport = c.transport(port)
		}
		if q.device.Kind == "ovpn" {
			s.carrier = record.Kernel
		}
		if s.transport == "tcp" {
			// No relay, and yet TCP inside TCP.
			s.unknown = append(s.unknown, tcpOverTCP)
		}
		return s, nil
	}
	if refused == nil {
		refused = fmt.Errorf("openvpn: %w", errAbsent)
	}
	return told, refused
}

// tcpOverTCP is said of an OpenVPN whose packets travel in TCP.
const tcpOverTCP = "what the inner TCP alone could do: this OpenVPN runs over TCP, so that each loss is repaired twice (use `proto udp`)"

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
