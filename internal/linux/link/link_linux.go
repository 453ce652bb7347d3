// Package link makes network devices and gives them addresses. Every function
// acts in the calling thread's network namespace.
package link

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Cable joins two virtual Ethernet devices of one namespace, both up.
type Cable struct {
	A, B string           // names
	MAC  net.HardwareAddr // of A; the kernel picks one if nil
	MTU  int
}

// Make plugs the cable in and returns the indexes of both ends.
func (c Cable) Make() (a, b int, err error) {
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.HardwareAddr, attrs.MTU = c.A, c.MAC, c.MTU
	veth := &netlink.Veth{LinkAttrs: attrs, PeerName: c.B, PeerMTU: uint32(c.MTU)}
	if err := netlink.LinkAdd(veth); err != nil {
		return 0, 0, fmt.Errorf("add veth %s – %s: %w", c.A, c.B, err)
	}
	if a, err = Up(c.A); err != nil {
		return 0, 0, err
	}
	b, err = Up(c.B)
	return a, b, err
}

// Up raises a device and returns its index.
func Up(name string) (int, error) {
	l, err := netlink.LinkByName(name)
	if err != nil {
		return 0, fmt.Errorf("find device %s: %w", name, err)
	}
	if err := netlink.LinkSetUp(l); err != nil {
		return 0, fmt.Errorf("raise device %s: %w", name, err)
	}
	return l.Attrs().Index, nil
}

// AddNIC makes a network card for a host: a device called name in namespace
// ns whose frames leave through the device lower of this namespace, and which
// receives what arrives there. What the host queues and shapes on its card is
// its own affair; a qdisc of lower stands for the wire. Unlike those of a bare
// veth, packets still belong to their socket while they wait for the wire, so
// that a sender is held back as by a real card.
//
// Every packet that leaves the card is one frame: the kernel cuts what is
// larger before it gets there.
func AddNIC(name string, lower, mtu, ns int) error {
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.ParentIndex, attrs.MTU = name, lower, mtu
	attrs.Namespace = netlink.NsFd(ns)
	attrs.GSOMaxSegs = 1
	nic := &netlink.Macvlan{LinkAttrs: attrs, Mode: netlink.MACVLAN_MODE_PASSTHRU}
	if err := netlink.LinkAdd(nic); err != nil {
		return fmt.Errorf("add macvlan %s: %w", name, err)
	}
	return nil
}

// AddAddress gives a device an address that is usable at once, without
// duplicate address detection.
func AddAddress(dev int, prefix netip.Prefix) error {
	addr := &netlink.Addr{IPNet: ipNet(prefix), Flags: unix.IFA_F_NODAD}
	if err := netlink.AddrAdd(&netlink.Dummy{LinkAttrs: netlink.LinkAttrs{Index: dev}}, addr); err != nil {
		return fmt.Errorf("add address %v: %w", prefix, err)
	}
	return nil
}

// AddNeighbour tells a device for good which MAC address an address has.
func AddNeighbour(dev int, addr netip.Addr, mac net.HardwareAddr) error {
	err := netlink.NeighSet(&netlink.Neigh{
		LinkIndex:    dev,
		Family:       family(addr),
		State:        netlink.NUD_PERMANENT,
		IP:           addr.AsSlice(),
		HardwareAddr: mac,
	})
	if err != nil {
		return fmt.Errorf("add neighbour %v: %w", addr, err)
	}
	return nil
}

func family(a netip.Addr) int {
	if a.Is4() {
		return netlink.FAMILY_V4
	}
	return netlink.FAMILY_V6
}

func ipNet(p netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
}
