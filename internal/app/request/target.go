package request

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"unchoke/internal/remote"
)

// Kind is what a target names.
type Kind int

const (
	// ServerTarget is host[:port], where an iperf3 server listens.
	ServerTarget Kind = iota
	// URLTarget is http(s)://…, which is downloaded; other schemes end up here
	// too, and are refused.
	URLTarget
	// SSHTarget is ssh://[user@]host[:port], where the far end is started.
	SSHTarget
)

// KindOf tells by its scheme what a target names.
func KindOf(target string) Kind {
	switch {
	case strings.HasPrefix(target, remote.Scheme):
		return SSHTarget
	case strings.Contains(target, "://"):
		return URLTarget
	}
	return ServerTarget
}

// IsURL says that a target is to be downloaded, and is no server's name.
func IsURL(target string) bool { return KindOf(target) == URLTarget }

// Host is a target without its port.
func Host(target string) string {
	if host, _, err := net.SplitHostPort(target); err == nil {
		return host
	}
	if strings.HasPrefix(target, "[") && strings.HasSuffix(target, "]") {
		return target[1 : len(target)-1]
	}
	return target
}

// Port is a target's port, or the normal one where it names none.
func Port(target string, normal uint16) (uint16, error) {
	_, text, err := net.SplitHostPort(target)
	if err != nil {
		return normal, nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 {
		return 0, Refuse("", "target %q: %q is not a port", target, text)
	}
	return uint16(n), nil
}

// LookUp finds the address and port of a server: host, host:port, an IPv6
// address bare or in brackets.
func LookUp(ctx context.Context, target string, family Family, normal uint16) (netip.AddrPort, error) {
	if KindOf(target) != ServerTarget {
		return netip.AddrPort{}, Refuse("name a host on which `iperf3 -s` or `unchoke serve` runs, as host or host:port",
			"target %q is a URL", target)
	}
	port, err := Port(target, normal)
	if err != nil {
		return netip.AddrPort{}, err
	}
	host := Host(target)
	if host == "" {
		return netip.AddrPort{}, Refuse("", "target %q names no host", target)
	}
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip"+string(family), host)
	if err != nil {
		return netip.AddrPort{}, unresolved(err, host, family)
	}
	return netip.AddrPortFrom(addresses[0].Unmap(), port), nil
}
