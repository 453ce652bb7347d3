package tunnel

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"

	"unchoke/internal/linux/proc"
	"unchoke/internal/record"
)

// parseOpenvpn reads the answers of the management interface to `version`,
// `state` and `status 3`, one after the other, for the peer that packets to an
// address go to (doc/management-notes.txt; multi.c, multi_print_status).
func parseOpenvpn(text string, q query) (state, error) {
	s := state{nearTCP: record.Kernel}
	var found nearest[string] // a client's name and real address, tab between: several may have one name
	for _, line := range lines(text) {
		line = strings.TrimSuffix(line, "\r")
		if v, ok := strings.CutPrefix(line, "OpenVPN Version: "); ok {
			name, rest, _ := strings.Cut(v, " ")
			number, _, _ := strings.Cut(rest, " ")
			s.program = strings.ToLower(name) + " " + number
			continue
		}
		f := strings.Split(line, "\t")
		switch {
		case len(f) > 4 && f[0] == "CLIENT_LIST": // common name, real address, inner addresses
			for _, inner := range f[3:5] {
				if a, err := netip.ParseAddr(inner); err == nil {
					found.offer(single(a), q.address, f[1]+"\t"+f[2])
				}
			}
		case len(f) > 3 && f[0] == "ROUTING_TABLE": // inner address or network, common name, real address
			client := f[2] + "\t" + f[3]
			if prefix, err := netip.ParsePrefix(f[1]); err == nil {
				found.offer(prefix, q.address, client)
			} else if a, err := netip.ParseAddr(strings.TrimSuffix(f[1], "C")); err == nil {
				found.offer(single(a), q.address, client)
			}
		case len(f) > 2 && f[0] == "GLOBAL_STATS" && f[1] == "dco_enabled":
			s.carrier = record.Userspace
			if f[2] == "1" {
				s.carrier = record.Kernel
			}
		default:
			if !s.takeState(strings.Split(line, ","), q.source) {
				return s, errOtherNetwork
			}
		}
	}
	if s.program == "" {
		return state{}, anotherVersion("openvpn", errors.New("no version"))
	}
	if found.bits > 0 {
		name, address, _ := strings.Cut(found.peer, "\t")
		s.peer = name
		s.endpoint, s.transport = realAddress(address)
	}
	if s.endpoint != "" {
		s.via = record.Direct
	} else {
		s.via = record.Idle
	}
	return s, nil
}

// takeState reads a line of a state: time, name, detail, inner address, the
// server's address and port, this host's, inner IPv6 address if there is one. It
// is false where it has an inner address, and not this host's.
func (s *state) takeState(f []string, source netip.Addr) bool {
	if len(f) < 6 || f[1] != "CONNECTED" {
		return true
	}
	if a, err := netip.ParseAddr(f[4]); err == nil {
		s.peer = "OpenVPN server"
		s.endpoint = net.JoinHostPort(a.String(), f[5])
	}
	return f[3] == "" || !source.IsValid() || slices.Contains(f[3:], source.String())
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

// askOpenvpn asks the OpenVPN that holds the device or, where that cannot be
// seen, each that may have it.
func askOpenvpn(ctx context.Context, h host, q query) (s state, err error) {
	all := running(h.Proc(), "openvpn")
	var holders []string
	for _, process := range all {
		if proc.Holds(h.Proc(), process, q.device.Name) {
			holders = append(holders, process)
		}
	}
	if holders != nil {
		all = holders
	}
	told := "" // the transport, by configuration
	var refused error
	other := fmt.Errorf("openvpn: %w", errAbsent)
	for _, process := range all {
		c := openvpnOf(h, process)
		if holders == nil && !c.serves(q.device.Name) {
			continue
		}
		s, err = c.ask(ctx, h, q)
		if err == nil {
			return s, nil
		}
		if errors.Is(err, errOtherNetwork) {
			other = err
			continue
		}
		t := c.transport("")
		if refused != nil && t != told {
			t = ""
		}
		told, refused = t, err
	}
	if refused == nil {
		refused = other
	}
	return state{transport: told}, refused
}

// ask asks the OpenVPN that has a configuration.
func (c *openvpnConfig) ask(ctx context.Context, h host, q query) (s state, err error) {
	if err = c.refuses(); err != nil {
		return s, err
	}
	text, err := manage(ctx, h, c)
	if err != nil {
		return s, err
	}
	if s, err = parseOpenvpn(text, q); err != nil {
		return s, err
	}
	if s.transport == "" {
		_, port, _ := net.SplitHostPort(s.endpoint)
		s.transport = c.transport(port)
	}
	if strings.HasPrefix(q.device.Kind, ovpn) {
		s.carrier = record.Kernel
	}
	if s.transport == "tcp" {
		// No relay, and yet TCP inside TCP.
		s.unknown = append(s.unknown, tcpOverTCP)
	}
	return s, nil
}

// tcpOverTCP is said of an OpenVPN whose packets travel in TCP.
const tcpOverTCP = "what the inner TCP alone could do: this OpenVPN runs over TCP, so that each loss is repaired twice (use `proto udp`)"

// manage asks over the management interface, which serves one client at a time:
// another one that is connected leaves this one waiting.
func manage(ctx context.Context, h host, c *openvpnConfig) (string, error) {
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
