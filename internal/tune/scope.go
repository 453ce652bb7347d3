package tune

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
)

// Scope is how much of a host a plan may touch: all of it, the sockets whose
// packets take one route, or one device. Its text is host, route:PREFIX or
// device:NAME.
type Scope struct {
	Prefix netip.Prefix // of a route; invalid otherwise
	Device string       // empty otherwise
}

// wholeHost leaves nothing out.
var wholeHost = Scope{}

// ParseScope reads a scope's text.
func ParseScope(s string) (Scope, error) {
	kind, name, named := strings.Cut(s, ":")
	switch {
	case s == "host":
		return wholeHost, nil
	case kind == "route" && named:
		prefix, err := parsePrefix(name)
		if err != nil {
			return Scope{}, fmt.Errorf("scope %q: %w", s, err)
		}
		return Scope{Prefix: prefix.Masked()}, nil
	case kind == "device" && name != "":
		return Scope{Device: name}, nil
	}
	return Scope{}, fmt.Errorf("scope %q is none of host, route:PREFIX, device:NAME", s)
}

// parsePrefix reads a prefix, or an address as the prefix of all its bits.
func parsePrefix(s string) (netip.Prefix, error) {
	if prefix, err := netip.ParsePrefix(s); err == nil {
		return prefix, nil
	}
	addr, err := netip.ParseAddr(s)
	if err != nil || addr.Zone() != "" {
		return netip.Prefix{}, errors.New("a route is named by its prefix, as in route:100.64.0.0/10")
	}
	return netip.PrefixFrom(addr, addr.BitLen()), nil
}

func (s Scope) String() string {
	switch {
	case s.Prefix.IsValid():
		return "route:" + s.Prefix.String()
	case s.Device != "":
		return "device:" + s.Device
	}
	return "host"
}

// MarshalText writes the scope's text.
func (s Scope) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the scope's text.
func (s *Scope) UnmarshalText(b []byte) error {
	var err error
	*s, err = ParseScope(string(b))
	return err
}
