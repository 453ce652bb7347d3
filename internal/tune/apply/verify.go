package apply

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"unchoke/internal/linux/sockdiag"
	"unchoke/internal/tune"
	"unchoke/internal/tune/journal"
	"unchoke/internal/tune/outcome"
)

// Probe asks the kernel what its sockets use.
type Probe interface {
	// NewConnection is the congestion control of a connection that is opened
	// now; an address that is not valid stands for loopback.
	NewConnection(to netip.Addr) (string, error)
	// Device is the one by which a connection to an address leaves; empty where
	// none does, as to an address of this host's own.
	Device(to netip.Addr) string
	Connections() ([]sockdiag.Connection, error)
}

// Verify reads everything back that stands, opens a connection and looks at
// those that there are. What is kept only until the next reboot is not wrong
// for being gone after one.
func (t *Tuner) Verify(p Probe) (Verification, error) {
	s, items, err := t.Items()
	v := Verification{Schema: outcome.VerificationSchema, Phase: s.Phase, Items: items, Wrong: []string{}}
	if err != nil {
		return v, err
	}
	lost, err := t.lost(s)
	if err != nil {
		return v, err
	}
	if lost != nil {
		wrong(&v, "%v", &LostError{*lost})
	}
	if len(items) == 0 {
		return v, nil
	}
	for _, step := range s.Standing() {
		v.Rebooted = v.Rebooted || step.Boot != t.Boot
	}
	waits := s.Phase == journal.Trying || s.Phase == journal.Tried
	for _, i := range items {
		switch {
		case i.State == Held, i.State == Waits && waits:
		case i.State == Gone && i.Change.Kind != tune.File:
			wrong(&v, "%s is gone", i.Change.Key)
		case i.State == Back && v.Rebooted && i.Change.When == tune.Now:
			wrong(&v, "%s did not hold over the reboot", i.Change.Key)
		case i.State == Changed && v.Rebooted:
			wrong(&v, "%s did not hold over the reboot: it is %s", i.Change.Key, tune.Words(i.Change.Kind, i.Have))
		default:
			wrong(&v, "%s is %s", i.Change.Key, tune.Words(i.Change.Kind, i.Have))
		}
	}
	return v, t.verifySockets(&v, s, p)
}

func wrong(v *Verification, format string, args ...any) {
	v.Wrong = append(v.Wrong, fmt.Sprintf(format, args...))
}

// verifySockets asks the kernel for a new connection and for those that there
// are.
func (t *Tuner) verifySockets(v *Verification, s journal.State, p Probe) error {
	target, ok := targetOf(v.Items, s.Last.Address, p)
	if !ok {
		return nil
	}
	got, err := p.NewConnection(target.to)
	if err != nil {
		return err
	}
	v.Connection = &Connection{To: "loopback", CC: got, Want: target.cc}
	if target.to.IsValid() {
		v.Connection.To = target.to.String()
	}
	if got != target.cc {
		wrong(v, "a new connection to %s uses %s, not %s", v.Connection.To, got, target.cc)
	}
	all, err := p.Connections()
	if err != nil {
		return err
	}
	v.Sockets = &Sockets{CC: map[string]int{}}
	for _, c := range all {
		if c.CC != "" && target.covers(c.Remote.Addr()) {
			v.Sockets.CC[c.CC]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.Sockets.CC)) {
		if name != target.cc {
			v.Sockets.Old += v.Sockets.CC[name]
		}
	}
	return nil
}

// target is which connections the changes are about.
type target struct {
	cc     string
	to     netip.Addr   // of the one to open; not valid: loopback
	prefix netip.Prefix // not valid: all
}

func (t target) covers(remote netip.Addr) bool {
	return !t.prefix.IsValid() || t.prefix.Contains(remote.Unmap())
}

// targetOf reads from the changes what new connections are to get, and where
// to: the default, or a route's own. It finds none where no address is known to
// which a connection takes that route.
func targetOf(items []Item, measured string, p Probe) (target, bool) {
	for _, i := range items {
		if c := i.Change; c.Kind == tune.Sysctl && c.Key == defaultCongestionControl && c.New != nil {
			return target{cc: *c.New}, true
		}
	}
	address, _ := netip.ParseAddr(measured)
	for _, i := range items {
		if i.Change.Kind != tune.Route {
			continue
		}
		key, err1 := tune.ParseRouteKey(i.Change.Key)
		value, err2 := tune.Decode[tune.RouteValue](i.Change.New)
		prefix, err3 := netip.ParsePrefix(key.Prefix)
		if err1 != nil || err2 != nil || err3 != nil || value == nil {
			continue
		}
		for _, to := range addresses(prefix, address.Unmap()) {
			if p.Device(to) == key.Device {
				return target{cc: value.CC, to: to, prefix: prefix}, true
			}
		}
	}
	return target{}, false
}

// addresses are some to which a connection may take the route to a prefix: the
// measured one if it is there, then the first ones. Some may be this host's own,
// or have a route of their own.
func addresses(prefix netip.Prefix, measured netip.Addr) []netip.Addr {
	var out []netip.Addr
	if prefix.Contains(measured) {
		out = append(out, measured)
	}
	to := prefix.Addr()
	if prefix.Bits() < to.BitLen()-1 {
		to = to.Next() // the one before it is the network's
	}
	for _, nobodys := range documentation {
		if prefix.Contains(nobodys) {
			to = nobodys
		}
	}
	const enough = 16
	for ; len(out) < enough && prefix.Contains(to); to = to.Next() {
		out = append(out, to)
	}
	return out
}

// documentation are addresses that no host has (RFC 5737, RFC 3849): of a default
// route the first ones are none that a packet is sent to.
var documentation = []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1")}

const defaultCongestionControl = "net.ipv4.tcp_congestion_control"
