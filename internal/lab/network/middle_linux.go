package network

import (
	"fmt"

	"unchoke/internal/linux/link"
	"unchoke/internal/linux/qdisc"
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

// buildMiddle connects the hosts, without any impairment yet.
func buildMiddle(n *Network, d directions, mtu int) (*middle, error) {
	// Without IPv6 addresses of its own, mid has nothing to say.
	if err := silenceIPv6(); err != nil {
		return nil, err
	}
	nearPort, err := addHostCable(n.Near, mtu)
	if err != nil {
		return nil, err
	}
	farPort, err := addHostCable(n.Far, mtu)
	if err != nil {
		return nil, err
	}
	m := &middle{up: lane{stages: d.up, last: farPort}, down: lane{stages: d.down, last: nearPort}}
	if err := m.up.lay("up", nearPort, mtu); err != nil {
		return nil, err
	}
	return m, m.down.lay("down", farPort, mtu)
}

// lay leads the packets that come in at a port to the lane's last one. An
// early stage gets a cable of its own.
func (l *lane) lay(name string, from port, mtu int) error {
	l.first = l.last
	if l.early != nil {
		out := port{name: name + "-out"}
		l.first.name = name + "-in"
		var err error
		l.first.dev, out.dev, err = link.Cable{A: l.first.name, B: out.name, MTU: mtu}.Make()
		if err != nil {
			return err
		}
		for _, p := range []port{l.first, out} {
			if err := addHooks(p); err != nil {
				return err
			}
		}
		if err := redirect(out, l.last); err != nil {
			return err
		}
	}
	return redirect(from, l.first)
}

// impair hangs the impairments of both directions.
func (m *middle) impair() error {
	for _, l := range []lane{m.up, m.down} {
		if l.policer != nil {
			if err := filter(l.first, qdisc.ClsactEgress, qdisc.All{Do: *l.policer}); err != nil {
				return err
			}
		}
		if err := hang(l.first, l.early); err != nil {
			return err
		}
		if err := hang(l.last, l.late); err != nil {
			return err
		}
	}
	return nil
}

// addHostCable gives a host its network card and returns the port it is
// plugged into.
func addHostCable(h *Host, mtu int) (port, error) {
	wire, p := h.name+"-wire", port{name: h.name + "-port"}
	cable := link.Cable{A: wire, B: p.name, MAC: h.mac, MTU: mtu}
	dev, portDev, err := cable.Make()
	if err != nil {
		return port{}, err
	}
	p.dev = portDev
	speed := qdisc.TBF{Rate: WireRate, Burst: wireBurst, Limit: wireQueue}
	if err := attach(port{wire, dev}, qdisc.Root, 0, speed); err != nil {
		return port{}, err
	}
	if err := link.AddNIC(nic, dev, mtu, h.ns.Fd()); err != nil {
		return port{}, fmt.Errorf("host %s: %w", h.name, err)
	}
	return p, addHooks(p)
}

// addHooks makes a port take filters.
func addHooks(p port) error {
	return attach(p, qdisc.ClsactParent, qdisc.ClsactHandle, qdisc.Clsact{})
}

// redirect sends what comes in at one port out of another.
func redirect(from, to port) error {
	return filter(from, qdisc.ClsactIngress, qdisc.Unicast{Do: qdisc.Redirect{Dev: to.dev}})
}

func attach(p port, parent, handle qdisc.Handle, q qdisc.Qdisc) error {
	if err := qdisc.Replace(p.dev, parent, handle, q); err != nil {
		return fmt.Errorf("add %s on mid's %s: %w", q.Kind(), p.name, err)
	}
	return nil
}

func filter(p port, hook qdisc.Handle, f qdisc.Filter) error {
	if err := qdisc.AddFilter(p.dev, hook, f); err != nil {
		return fmt.Errorf("add filter %s on mid's %s: %w", f.Kind(), p.name, err)
	}
	return nil
}

// hang attaches a chain of qdiscs, each the child of the one before it.
func hang(p port, chain []qdisc.Qdisc) error {
	parent := qdisc.Root
	for i, q := range chain {
		handle := qdisc.MakeHandle(uint16(i+1), 0)
		if err := attach(p, parent, handle, q); err != nil {
			return err
		}
		parent = handle + 1
	}
	return nil
}
