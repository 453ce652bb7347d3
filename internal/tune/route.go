package tune

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
)

// ErrSharedRoute says that a table has two routes to one prefix with one metric and
// TOS. The kernel, told to change one, may replace the other.
var ErrSharedRoute = errors.New("another route to the same prefix has the same metric, and would be replaced")

// route confines the change to the sockets whose packets take certain routes.
func (b *builder) route() error {
	if !b.running() {
		return fmt.Errorf("%w in an image: what lies in its files is not yet a routing table", ErrNoSuchRoute)
	}
	var within []HostRoute
	for _, r := range b.facts.Routes {
		if prefix, err := netip.ParsePrefix(r.Key.Prefix); err == nil && covers(b.options.Scope.Prefix, prefix) && r.leads() {
			within = append(within, r)
		}
	}
	if len(within) == 0 {
		return fmt.Errorf("%w within %s", ErrNoSuchRoute, b.options.Scope.Prefix)
	}
	b.congctl(within)
	return nil
}

// leads says whether a route leads anywhere but to the link itself: each device has
// the kernel's own to fe80::/64 and to multicast.
func (r HostRoute) leads() bool {
	prefix, err := netip.ParsePrefix(r.Key.Prefix)
	addr := prefix.Addr()
	return err == nil && !addr.IsMulticast() && !(addr.Is6() && addr.IsLinkLocalUnicast())
}

func covers(outer, inner netip.Prefix) bool {
	return outer.Bits() <= inner.Bits() && outer.Contains(inner.Addr())
}

// device confines the change to one device: its queue and the routes by it.
func (b *builder) device() error {
	if !b.running() {
		return fmt.Errorf("%w in an image", ErrNoSuchDevice)
	}
	d, ok := b.facts.device(b.options.Scope.Device)
	if !ok {
		return fmt.Errorf("%w %s that is up", ErrNoSuchDevice, b.options.Scope.Device)
	}
	if b.needs.shape > 0 {
		b.shape()
		return nil
	}
	var by []HostRoute
	for _, r := range b.facts.Routes {
		if r.Key.Device == d.Name && r.leads() {
			by = append(by, r)
		}
	}
	b.congctl(by)
	if b.needs.bbr != "" && b.facts.Kernel.has(moduleFQ) {
		b.module(moduleFQ, "the qdisc is a module")
		b.qdisc(d, true)
	}
	return nil
}

// congctl gives routes their algorithm. Nothing else of the host changes but
// the module.
func (b *builder) congctl(routes []HostRoute) {
	if len(b.needs.sysctl) > 0 {
		var keys []string
		for _, w := range b.needs.sysctl {
			if have, ok := b.facts.Sysctls[w.key]; ok && w.value(have) != have {
				keys = append(keys, w.key)
			}
		}
		if len(keys) > 0 {
			b.note("scope", "unchoke tune plan --scope host", "The path would also ask for %s, which the whole host shares: left as it is in this scope.", strings.Join(keys, ", "))
		}
	}
	if b.needs.bbr == "" {
		return
	}
	if routes = b.alone(routes); len(routes) == 0 {
		return
	}
	b.module(moduleBBR, "the algorithm is a module")
	for _, r := range routes {
		if r.Value.CC == bbr {
			continue
		}
		to := RouteValue{CC: bbr}
		b.change(Route, r.Key.String(), Now, Encode(r.Value), Encode(to), "new connections over this route, whichever side opens them: "+b.needs.bbr)
		if r.Protocol != "" && r.Protocol != "kernel" && r.Protocol != "static" && r.Protocol != "boot" {
			b.note("route", "unchoke tune status", "The route to %s was made by %s, which may write it anew without the algorithm.", r.Key.Prefix, r.Protocol)
		}
	}
	b.moduleFile()
	b.persistRoutes(routes)
}

// alone leaves out the routes that cannot be changed without a risk for another.
func (b *builder) alone(routes []HostRoute) []HostRoute {
	var alone []HostRoute
	for _, r := range routes {
		if r.Shared && r.Value.CC != bbr {
			b.note("route", "ip route show table all "+r.Key.Prefix, "The route to %s by %s is left as it is: another one has the same prefix, metric and TOS, and the kernel, told to change one, may replace the other.", r.Key.Prefix, r.Key.Device)
			continue
		}
		alone = append(alone, r)
	}
	return alone
}

// persistRoutes says how the routes keep their algorithm over a reboot: the
// program that makes them has to give it to them.
func (b *builder) persistRoutes(routes []HostRoute) {
	if len(routes) == 0 {
		return
	}
	first := routes[0].Key
	if b.facts.networkd(first.Device) {
		b.note("persistence", "TCPCongestionControlAlgorithm="+bbr,
			"systemd-networkd makes the routes of %s: this line holds over a reboot, in the [Route] section of %s in its .network file.", first.Device, first.Prefix)
		return
	}
	b.note("persistence", routes[0].change(bbr),
		"A route's algorithm is not kept over a reboot: whatever makes the route of %s (a PostUp line of wg-quick, a dispatcher script) has to set it again.", first.Device)
}

// change is the command that gives the route's sockets an algorithm, and leaves all else of
// it as it is: what ip route change is not told, it takes away, a gateway as well.
func (r HostRoute) change(cc string) string {
	ip := "ip route change"
	if strings.Contains(r.Key.Prefix, ":") {
		ip = "ip -6 route change"
	}
	return fmt.Sprintf("%s %s %s congctl %s", ip, r.Key.Prefix, r.Words, cc)
}

func (f *Facts) networkd(device string) bool {
	for _, r := range f.Networkd {
		if r.Device == device {
			return true
		}
	}
	return false
}
