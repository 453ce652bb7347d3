package network

import (
	"fmt"

	"unchoke/internal/linux/link"
	"unchoke/internal/linux/qdisc"
	"unchoke/internal/linux/rtnl"
	"unchoke/internal/unit"
)

// middle is the namespace between the hosts, seen from inside it.
type middle struct{ up, down lane }

// lane is what one direction's packets pass on their way between two ports.
// The early stage hangs on the first, where there is one; the late stage on
// the last, by which the packets leave.
type lane struct {
	stages
	first, last port
}

// port is a device of mid: the end of a host's cable, or of one within.
type port struct {
	name string
	dev  int
}

// The wire of a network card. What fits the burst, 0.8 ms of the wire, leaves
// at once and costs the machine no timer: a quarter less work for a TCP stream
// of 60 Mbit/s. The queue is longer than the socket buffers of any test's
// senders, which hold them back.
const (
	wireBurst = unit.MiB
	wireQueue = 16 * unit.MiB
)

// newMiddle connects the hosts, without any impairment yet.
func newMiddle(n *Network, d directions, mtu int) (*middle, error) {
	// Without IPv6 addresses of its own, mid has nothing to say.
	if err := silenceIPv6(); err != nil {
		return nil, err
	}
	b := builder{mtu: mtu, last: nicIndex}
	nearPort, farPort := b.addHostCable(n.Near), b.addHostCable(n.Far)
	m := &middle{
		up:   b.lay("up", d.up, nearPort, farPort),
		down: b.lay("down", d.down, farPort, nearPort),
	}
	return m, rtnl.Do(b.requests...)
}

// builder gathers what the kernel is asked to build.
type builder struct {
	requests []rtnl.Request
	mtu      int
	last     int // index of a device
}

func (b *builder) add(r ...rtnl.Request) { b.requests = append(b.requests, r...) }

// cable adds two devices that are joined.
func (b *builder) cable(one, other link.End) (port, port) {
	one.Index, other.Index = b.last+1, b.last+2
	b.last += 2
	b.add(link.Cable(one, other, b.mtu)...)
	return port{one.Name, one.Index}, port{other.Name, other.Index}
}

// addHostCable gives a host its network card and returns the port it is
// plugged into.
func (b *builder) addHostCable(h *Host) port {
	wire, p := b.cable(link.End{Name: h.name + "-wire", MAC: h.mac, Segments: 1}, link.End{Name: h.name + "-port"})
	speed := qdisc.TBF{Rate: WireRate, Burst: wireBurst, Limit: wireQueue}
	b.add(
		attach(wire, qdisc.Root, 0, speed),
		link.NIC(link.End{Name: nic, Index: nicIndex, Segments: segments}, wire.dev, b.mtu, h.ns.Fd()),
		hooks(p),
	)
	return p
}

// lay leads the packets that come in at one port out of another. An early
// stage gets a cable of its own.
func (b *builder) lay(name string, s stages, from, to port) lane {
	l := lane{stages: s, first: to, last: to}
	if l.early != nil {
		var out port
		l.first, out = b.cable(link.End{Name: name + "-in"}, link.End{Name: name + "-out"})
		b.add(hooks(l.first), hooks(out), redirect(out, to))
	}
	b.add(redirect(from, l.first))
	return l
}

// impair hangs the impairments of both directions.
func (m *middle) impair() error {
	var requests []rtnl.Request
	for _, l := range []lane{m.up, m.down} {
		if l.policer != nil {
			requests = append(requests, filter(l.first, qdisc.ClsactEgress, qdisc.All{Do: *l.policer}))
		}
		requests = append(requests, chain(l.first, l.early)...)
		requests = append(requests, chain(l.last, l.late)...)
	}
	return rtnl.Do(requests...)
}

// hooks make a port take filters.
func hooks(p port) rtnl.Request {
	return attach(p, qdisc.ClsactParent, qdisc.ClsactHandle, qdisc.Clsact{})
}

// redirect sends what comes in at one port out of another.
func redirect(from, to port) rtnl.Request {
	return filter(from, qdisc.ClsactIngress, qdisc.Unicast{Do: qdisc.Redirect{Dev: to.dev}})
}

// chain attaches qdiscs, each the child of the one before it.
func chain(p port, chain []qdisc.Qdisc) []rtnl.Request {
	var requests []rtnl.Request
	parent := qdisc.Root
	for i, q := range chain {
		handle := qdisc.MakeHandle(uint16(i+1), 0)
		requests = append(requests, attach(p, parent, handle, q))
		parent = handle + 1
	}
	return requests
}

func attach(p port, parent, handle qdisc.Handle, q qdisc.Qdisc) rtnl.Request {
	return qdisc.ReplaceRequest(fmt.Sprintf("add %s on mid's %s", q.Kind(), p.name), p.dev, parent, handle, q)
}

func filter(p port, hook qdisc.Handle, f qdisc.Filter) rtnl.Request {
	return qdisc.FilterRequest(fmt.Sprintf("add filter %s on mid's %s", f.Kind(), p.name), p.dev, hook, f)
}
