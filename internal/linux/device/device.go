// Package device tells what a network device is and how it queues.
package device

import (
	"fmt"
	"net/netip"
)

// Device is a network device.
type Device struct {
	Index int
	Name  string
	// Kind is the kernel's name for a virtual device's driver: wireguard, gre,
	// ip6gre, ipip, tun, veth, bridge, …; "loopback" for that one; empty for
	// hardware.
	Kind string
	MTU  int // bytes
	// TxQueues is the number of transmit queues; with more than one, the root
	// qdisc is mq.
	TxQueues int
	Up       bool
	// Lower is the index of the device that it lies on, as a VLAN does, or,
	// where it is bound to one, a tunnel; of a veth, its other end. 0 where
	// there is none.
	Lower int
	// Remote is the outer address of a kernel tunnel's far end; invalid where
	// the device has none, or is no tunnel.
	Remote netip.Addr
}

// Qdisc is a queueing discipline as the device has it.
type Qdisc struct {
	Kind   string
	Handle Handle
	Parent Handle
}

// Stats is what a queueing discipline did since it was attached.
type Stats struct {
	Device int // its index
	Qdisc
	Bytes      int64 // that left it
	Packets    int64
	Drops      int64
	Overlimits int64 // packets that a shaper made wait
	Backlog    int64 // bytes that wait in it now
}

// Handle names a qdisc or a class: major and minor number, 16 bits each.
type Handle uint32

// Root is the parent of a device's root qdisc (TC_H_ROOT, linux/pkt_sched.h).
const Root Handle = 0xffff_ffff

// String is the handle as tc(8) writes it: root, 8001:, 8001:2, :3.
func (h Handle) String() string {
	major, minor := uint32(h)>>16, uint32(h)&0xffff
	switch {
	case h == Root:
		return "root"
	case minor == 0:
		return fmt.Sprintf("%x:", major)
	case major == 0:
		return fmt.Sprintf(":%x", minor)
	}
	return fmt.Sprintf("%x:%x", major, minor)
}
