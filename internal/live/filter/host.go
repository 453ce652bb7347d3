package filter

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// host is an address with its port as dst and src take it; any where a part is
// left out or *.
type host struct {
	family   int // 4 or 6; 0 for both
	prefixes []netip.Prefix
	anyHost  bool
	port     uint16
	anyPort  bool
}

func (h host) match(a netip.AddrPort) bool {
	addr := a.Addr().Unmap()
	if h.family != 0 && (h.family == 4) != addr.Is4() || !h.anyPort && h.port != a.Port() {
		return false
	}
	for _, p := range h.prefixes {
		if p.Contains(addr) {
			return true
		}
	}
	return h.anyHost
}

// parseFamily takes inet: or inet6: off.
func parseFamily(text string) (family int, rest string) {
	if rest, is := strings.CutPrefix(text, "inet:"); is {
		return 4, rest
	}
	if rest, is := strings.CutPrefix(text, "inet6:"); is {
		return 6, rest
	}
	return 0, text
}

// parseHost reads [FAMILY:]ADDRESS[/BITS][:PORT], an IPv6 address with a port in
// brackets. As of ss, what follows the last colon is the port.
func parseHost(text string, names Names) (host, error) {
	h := host{anyPort: true}
	h.family, text = parseFamily(text)
	addr, port, hasPort := cutPort(text)
	if hasPort {
		var err error
		if h.port, h.anyPort, err = parsePort(port, names); err != nil {
			if _, v6 := netip.ParseAddr(text); v6 == nil {
				return h, fmt.Errorf("an IPv6 address stands in brackets: [%s]", text)
			}
			return h, err
		}
	}
	if inner, is := strings.CutPrefix(addr, "["); is {
		before, after, closed := strings.Cut(inner, "]")
		if !closed {
			return h, errors.New("a bracket is not closed")
		}
		addr = before + after
		if !strings.Contains(addr, ":") {
			return h, fmt.Errorf("%q is no IPv6 address", before)
		}
	}
	switch addr {
	case "", "*", "any", "all", "default":
		h.anyHost = true
		return h, nil
	}
	var err error
	if h.prefixes, err = parsePrefix(addr, names); err != nil {
		if _, v6 := netip.ParseAddr(text); v6 == nil {
			err = fmt.Errorf("an IPv6 address stands in brackets: [%s]", text)
		}
	}
	return h, err
}

// cutPort cuts at the last colon behind brackets and the prefix length.
func cutPort(text string) (addr, port string, found bool) {
	from := max(strings.LastIndexByte(text, ']'), strings.LastIndexByte(text, '/'), 0)
	if i := strings.LastIndexByte(text[from:], ':'); i >= 0 {
		return text[:from+i], text[from+i+1:], true
	}
	return text, "", false
}

// parsePort reads a number, a service or *.
func parsePort(text string, names Names) (port uint16, wild bool, err error) {
	if text == "*" || text == "" {
		return 0, true, nil
	}
	if n, err := strconv.ParseUint(text, 10, 16); err == nil {
		return uint16(n), false, nil
	}
	if strings.Trim(text, "0123456789") == "" {
		return 0, false, fmt.Errorf("%q is above 65535", text)
	}
	if names.Port == nil || strings.ContainsAny(text, ":*/[]") {
		return 0, false, fmt.Errorf("%q is no port", text)
	}
	if port, err = names.Port(text); err != nil {
		return 0, false, fmt.Errorf("%q is neither a port nor a service's name", text)
	}
	return port, false, nil
}

// parsePrefix reads an address, with its length or without, or a host's name. An
// IPv4 address may be short, as ss takes it: 10/8.
func parsePrefix(text string, names Names) ([]netip.Prefix, error) {
	addr, bits, hasBits := strings.Cut(text, "/")
	a, err := netip.ParseAddr(addr)
	if err != nil && addr != "" && strings.Trim(addr, "0123456789.") == "" {
		parts := strings.Count(addr, ".")
		if a, err = netip.ParseAddr(addr + strings.Repeat(".0", max(3-parts, 0))); err != nil {
			return nil, fmt.Errorf("%q is no address", addr)
		}
	}
	if err != nil {
		if strings.Contains(addr, ":") || hasBits || names.Host == nil {
			return nil, fmt.Errorf("%q is no address", addr)
		}
		all, err := names.Host(addr)
		if err != nil {
			return nil, fmt.Errorf("%q is neither an address nor a host's name that is known", addr)
		}
		var out []netip.Prefix
		for _, a := range all {
			a = a.Unmap().WithZone("")
			out = append(out, netip.PrefixFrom(a, a.BitLen()))
		}
		return out, nil
	}
	a = a.WithZone("")
	n := a.BitLen()
	if hasBits {
		if n, err = strconv.Atoi(bits); err != nil || n < 0 || n > a.BitLen() {
			return nil, fmt.Errorf("a prefix of %q is 0 to %d bits long, not %q", addr, a.BitLen(), bits)
		}
	}
	if a.Is4In6() { // the sockets that have it are shown as IPv4
		a, n = a.Unmap(), max(n-96, 0)
	}
	return []netip.Prefix{netip.PrefixFrom(a, n)}, nil
}
