package filter

import "net/netip"

// Bounds are ends that every flow has which a filter lets through: less than the
// filter says, but what a kernel can leave out by itself. What is zero is not
// bounded.
type Bounds struct {
	LocalPort, RemotePort uint16
	Local, Remote         netip.Prefix
}

// Bounds of the filter; none where it has an or at its top.
func (f Filter) Bounds() Bounds { return f.bounds }

// and are the bounds of two conditions that both hold. Where they differ the
// first stands: it is a bound as well.
func (b Bounds) and(c Bounds) Bounds {
	if b.LocalPort == 0 {
		b.LocalPort = c.LocalPort
	}
	if b.RemotePort == 0 {
		b.RemotePort = c.RemotePort
	}
	if !b.Local.IsValid() {
		b.Local = c.Local
	}
	if !b.Remote.IsValid() {
		b.Remote = c.Remote
	}
	return b
}

// bounded are the bounds of one condition. A name is none: it may have several
// addresses.
func (p *parser) bounded(key, op, value string) (b Bounds) {
	if op != "=" {
		return b
	}
	switch key {
	case "sport":
		b.LocalPort = onePort(value)
	case "dport":
		b.RemotePort = onePort(value)
	case "src":
		b.Local, b.LocalPort = oneHost(value)
	case "dst":
		b.Remote, b.RemotePort = oneHost(value)
	}
	return b
}

// onePort is a port that is given by its number, of both families; else 0.
func onePort(value string) uint16 {
	family, rest := parseFamily(value)
	if len(rest) > 0 && rest[0] == ':' {
		rest = rest[1:]
	}
	port, wild, err := parsePort(rest, Names{})
	if err != nil || wild || family != 0 {
		return 0
	}
	return port
}

func oneHost(value string) (in netip.Prefix, port uint16) {
	h, err := parseHost(value, Names{})
	if err != nil || h.family != 0 {
		return in, 0
	}
	if len(h.prefixes) == 1 && !h.anyHost {
		in = h.prefixes[0].Masked()
	}
	if !h.anyPort {
		port = h.port
	}
	return in, port
}
