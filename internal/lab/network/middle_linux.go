package network

import (
	"fmt"
	"slices"

	"unchoke/internal/linux/link"
	"unchoke/internal/linux/qdisc"
	"unchoke/internal/linux/rtnl"
	"unchoke/internal/unit"
)

// middle is the namespace between the hosts, seen from inside it.
type middle struct{ up, down lane }

// lane is what one direction's packets pass on their way between two ports:
// its stages, each with the device that it hangs on.
type lane []leg

type leg struct {
	stage
	port
}

// port is a device of mid: the end of a host's cable, or of one within.
type port struct {
	name string
	dev  int
	host *Host // that it is a port of; nil within
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
	nearSide, farSide := side{host: b.addHostCable(n.Near)}, side{host: b.addHostCable(n.Far)}
	if n.Cross != nil {
		nearSide.others, farSide.others = b.addHostCable(n.Cross), b.addHostCable(n.CrossFar)
	}
	m := &middle{
		up:   b.lay("up", d.up, nearSide, farSide),
		down: b.lay("down", d.down, farSide, nearSide),
	}
	if err := rtnl.Do(b.requests...); err != nil {
		return nil, err
	}
	if d.up.sortsFlows() || d.down.sortsFlows() {
		for _, p := range []port{nearSide.host, farSide.host, nearSide.others, farSide.others} {
			if p == (port{}) {
				continue
			}
			if err := qdisc.ForgetHash(p.dev); err != nil {
				return nil, fmt.Errorf("make %s forget what hosts know of flows: %w", p.name, err)
			}
		}
	}
	return m, nil
}

// side is where packets come in on one side of mid, and those of the other
// direction leave.
type side struct {
	host   port
	others port // of the other traffic's host; zero where there is none
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
	return port{name: one.Name, dev: one.Index}, port{name: other.Name, dev: other.Index}
}

// addHostCable gives a host its network card and returns the port it is
// plugged into.
func (b *builder) addHostCable(h *Host) port {
	wire, p := b.cable(link.End{Name: h.name + "-wire", MAC: h.mac, Segments: 1}, link.End{Name: h.name + "-port"})
	speed := qdisc.TBF{Rate: WireRate, Burst: wireBurst, Limit: wireQueue}
	p.host = h
	b.add(
		attach(wire, qdisc.Root, 0, speed),
		link.NIC(link.End{Name: nic, Index: nicIndex, Segments: segments}, wire.dev, h.mtu, h.ns.Fd()),
		hooks(p),
	)
	return p
}

// lay leads the packets that come in on one side out of the other. A stage
// before the last gets a cable of its own.
func (b *builder) lay(name string, s stages, from, to side) lane {
	l := lane{{stage: s.udp}, {stage: s.own}, {stage: s.early}, {s.late, to.host}, {s.aside, to.others}}
	udp, own, early := &l[0], &l[1], &l[2]
	next, others := to.host, to.others
	if early.present() {
		var out port
		early.port, out = b.stageCable(name)
		if to.others != (port{}) {
			b.add(redirect(out, 1, qdisc.To{MAC: to.others.host.mac, Do: qdisc.Redirect{Dev: to.others.dev}}))
		}
		b.add(forward(out, to.host))
		next, others = early.port, early.port
	}
	if own.present() {
		var out port
		own.port, out = b.stageCable(name + "-own")
		b.add(forward(out, next))
		next = own.port
	}
	if udp.present() {
		var out port
		udp.port, out = b.stageCable(name + "-udp")
		aside := qdisc.Redirect{Dev: udp.dev}
		b.add(
			forward(out, next),
			redirect(from.host, 1, qdisc.UDP{Do: aside}),
			redirect(from.host, 2, qdisc.UDP{V6: true, Do: aside}),
		)
	}
	b.add(forward(from.host, next))
	if from.others != (port{}) {
		b.add(forward(from.others, others))
	}
	return l
}

// stageCable adds a cable whose one end holds a stage and whose other leads on.
func (b *builder) stageCable(name string) (in, out port) {
	in, out = b.cable(link.End{Name: name + "-in"}, link.End{Name: name + "-out"})
	b.add(hooks(in), hooks(out))
	return in, out
}

// impair hangs the impairments of both directions.
func (m *middle) impair() error {
	var requests []rtnl.Request
	for _, l := range slices.Concat(m.up, m.down) {
		if l.police != nil {
			requests = append(requests, filter(l.port, qdisc.ClsactEgress, 1, qdisc.All{Do: *l.police}))
		}
		requests = append(requests, chain(l.port, l.chain)...)
	}
	return rtnl.Do(requests...)
}

// hooks make a port take filters.
func hooks(p port) rtnl.Request {
	return attach(p, qdisc.ClsactParent, qdisc.ClsactHandle, qdisc.Clsact{})
}

// forward sends every unicast frame that comes in at one port out of another,
// where no redirect before it has.
func forward(from, to port) rtnl.Request {
	const last = 9
	return redirect(from, last, qdisc.Unicast{Do: qdisc.Redirect{Dev: to.dev}})
}

// redirect sends what comes in at a port and is picked by a filter elsewhere.
func redirect(from port, priority uint16, f qdisc.Filter) rtnl.Request {
	return filter(from, qdisc.ClsactIngress, priority, f)
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

func filter(p port, hook qdisc.Handle, priority uint16, f qdisc.Filter) rtnl.Request {
	return qdisc.FilterRequest(fmt.Sprintf("add filter %s on mid's %s", f.Kind(), p.name), p.dev, hook, priority, f)
}
