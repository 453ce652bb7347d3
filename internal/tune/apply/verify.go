package apply

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"unchoke/internal/linux/sockdiag"
	"unchoke/internal/tune"
	"unchoke/internal/tune/journal"
)

// Probe asks the kernel what its sockets use.
type Probe interface {
	// NewConnection is the congestion control of a connection that is opened
	// now; an address that is not valid stands for loopback.
	NewConnection(to netip.Addr) (string, error)
	Connections() ([]sockdiag.Connection, error)
}

// VerificationSchema names this version of the document.
const VerificationSchema = "unchoke.tune.verify/1"

// Verification is whether what was applied is in force.
type Verification struct {
	Schema   string        `json:"schema"`
	Phase    journal.Phase `json:"phase"`
	Rebooted bool          `json:"rebooted"` // since the changes were made
	Items    []Item        `json:"items"`
	// Connection is nil where the changes leave the algorithm alone.
	Connection *Connection `json:"connection,omitempty"`
	// Sockets counts the established connections that the changes are about by
	// their algorithm; nil as Connection is.
	Sockets *Sockets `json:"sockets,omitempty"`
	// Wrong is what is not as it should be, a sentence each.
	Wrong []string `json:"wrong"`
}

// Connection is one that was opened to see what it gets.
type Connection struct {
	To   string `json:"to"`
	CC   string `json:"cc"`
	Want string `json:"want"`
}

// Sockets are established connections.
type Sockets struct {
	CC map[string]int `json:"cc"`
	// Old are those with another algorithm than new ones get: they began
	// before, or chose for themselves. They keep it until they end.
	Old int `json:"old"`
}

// Verify reads everything back that stands, opens a connection and looks at
// those that there are. What is kept only until the next reboot is not wrong
// for being gone after one.
func (t *Tuner) Verify(p Probe) (Verification, error) {
	s, items, err := t.Items()
	v := Verification{Schema: VerificationSchema, Phase: s.Phase, Items: items, Wrong: []string{}}
	if err != nil || len(items) == 0 {
		return v, err
	}
	for _, step := range s.Standing() {
		v.Rebooted = v.Rebooted || step.Boot != t.Boot
	}
	waits := s.Phase == journal.Trying || s.Phase == journal.Tried
	for _, i := range items {
		switch {
		case i.State == Held, i.State == Waits && waits:
		case i.State == Gone && i.Change.Kind != tune.File:
			v.wrong("%s is gone", i.Change.Key)
		case i.State == Back && v.Rebooted && i.Change.When == tune.Now:
			v.wrong("%s did not hold over the reboot", i.Change.Key)
		case i.State == Changed && v.Rebooted:
			v.wrong("%s did not hold over the reboot: it is %s", i.Change.Key, text(i.Have))
		default:
			v.wrong("%s is %s", i.Change.Key, text(i.Have))
		}
	}
	return v, t.verifySockets(&v, s, p)
}

func (v *Verification) wrong(format string, args ...any) {
	v.Wrong = append(v.Wrong, fmt.Sprintf(format, args...))
}

// verifySockets asks the kernel for a new connection and for those that there
// are.
func (t *Tuner) verifySockets(v *Verification, s journal.State, p Probe) error {
	target, ok := targetOf(v.Items, s.Last.Address)
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
		v.wrong("a new connection to %s uses %s, not %s", v.Connection.To, got, target.cc)
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
// to: the default, or a route's own.
func targetOf(items []Item, measured string) (target, bool) {
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
		to := prefix.Addr().Next()
		if prefix.IsSingleIP() {
			to = prefix.Addr()
		}
		if prefix.Contains(address.Unmap()) {
			to = address.Unmap()
		}
		return target{cc: value.CC, to: to, prefix: prefix}, true
	}
	return target{}, false
}

const defaultCongestionControl = "net.ipv4.tcp_congestion_control"
