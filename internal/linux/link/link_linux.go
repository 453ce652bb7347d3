// Package link makes network devices and gives them addresses. Its requests
// act in the namespace of the thread that makes them (rtnl.Do).
package link

import (
	"fmt"
	"net"
	"net/netip"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/rtnl"
)

// Loopback is the index of lo in every namespace.
const Loopback = 1

// End is a device that does not exist yet. Its maker picks the index, so that
// the next request can say it.
type End struct {
	Name  string
	Index int
	MAC   net.HardwareAddr // the kernel picks one if nil
	// Segments is how many frames the device takes in one packet at most: the
	// kernel cuts what TCP, UDP or a tunnel hand down in larger ones, and TCP
	// makes none larger. 0 is the kernel's default.
	Segments int
}

// Cable asks for two virtual Ethernet devices that are joined, both up.
func Cable(a, b End, mtu int) []rtnl.Request {
	peer := rtnl.Attr(nil, vethPeer, b.message(mtu))
	return []rtnl.Request{
		newLink(fmt.Sprintf("add veth %s – %s", a.Name, b.Name), "veth", kind(a.message(mtu), "veth", peer)),
		Up(a.Index, a.Name),
		Up(b.Index, b.Name),
	}
}

// NIC asks for a network card of a host: a device in namespace ns, a file
// descriptor, whose frames leave through the device lower of this namespace,
// and which receives what arrives there. What the host queues and shapes on its
// card is its own affair; a qdisc of lower stands for the wire. Unlike those of
// a bare veth, packets still belong to their socket while they wait for the
// wire, so that a sender is held back as by a real card.
func NIC(nic End, lower, mtu, ns int) rtnl.Request {
	body := nic.message(mtu)
	body = number(body, unix.IFLA_LINK, lower)
	body = number(body, unix.IFLA_NET_NS_FD, ns)
	body = kind(body, "macvlan", number(nil, macvlanMode, macvlanPassthru))
	return newLink("add macvlan "+nic.Name, "macvlan", body)
}

// What of linux/veth.h and linux/if_link.h is used here and not in x/sys/unix.
const (
	vethPeer        = 1 // VETH_INFO_PEER
	macvlanMode     = 1 // IFLA_MACVLAN_MODE
	macvlanPassthru = 8
)

// Up asks for a device to be raised.
func Up(dev int, name string) rtnl.Request {
	return rtnl.Request{What: "raise device " + name, Type: unix.RTM_NEWLINK, Body: info(dev, unix.IFF_UP)}
}

// Address asks for an address that is usable at once, without duplicate address
// detection.
func Address(dev int, prefix netip.Prefix) rtnl.Request {
	// A struct ifaddrmsg (linux/if_addr.h).
	body := []byte{family(prefix.Addr()), byte(prefix.Bits()), unix.IFA_F_NODAD, unix.RT_SCOPE_UNIVERSE}
	body = rtnl.U32(body, uint32(dev))
	body = rtnl.Attr(body, unix.IFA_LOCAL, prefix.Addr().AsSlice())
	body = rtnl.Attr(body, unix.IFA_ADDRESS, prefix.Addr().AsSlice())
	return rtnl.Request{
		What: fmt.Sprintf("add address %v", prefix), Type: unix.RTM_NEWADDR,
		Flags: unix.NLM_F_CREATE | unix.NLM_F_EXCL, Body: body,
	}
}

// Neighbour tells a device for good which MAC address an address has.
func Neighbour(dev int, addr netip.Addr, mac net.HardwareAddr) rtnl.Request {
	// A struct ndmsg (linux/neighbour.h).
	body := rtnl.U32([]byte{family(addr), 0, 0, 0}, uint32(dev))
	body = append(body, unix.NUD_PERMANENT, 0, 0, 0) // and a byte each of flags and type
	body = rtnl.Attr(body, unix.NDA_DST, addr.AsSlice())
	body = rtnl.Attr(body, unix.NDA_LLADDR, mac)
	return rtnl.Request{
		What: fmt.Sprintf("add neighbour %v", addr), Type: unix.RTM_NEWNEIGH,
		Flags: unix.NLM_F_CREATE | unix.NLM_F_REPLACE, Body: body,
	}
}

func newLink(what, kind string, body []byte) rtnl.Request {
	return rtnl.Request{What: what, Kind: kind, Type: unix.RTM_NEWLINK, Flags: unix.NLM_F_CREATE | unix.NLM_F_EXCL, Body: body}
}

// message is the device's struct ifinfomsg and the attributes of every kind.
func (d End) message(mtu int) []byte {
	b := rtnl.Attr(info(d.Index, 0), unix.IFLA_IFNAME, rtnl.Str(d.Name))
	b = number(b, unix.IFLA_MTU, mtu)
	if d.MAC != nil {
		b = rtnl.Attr(b, unix.IFLA_ADDRESS, d.MAC)
	}
	if d.Segments > 0 {
		b = number(b, unix.IFLA_GSO_MAX_SEGS, d.Segments)
	}
	return b
}

// info is a struct ifinfomsg (linux/rtnetlink.h) that sets the flags.
func info(dev int, flags uint32) []byte {
	b := rtnl.U32(make([]byte, 4, unix.SizeofIfInfomsg), uint32(dev)) // family and type: any
	return rtnl.U32(rtnl.U32(b, flags), flags)                        // and which of them change
}

// kind appends what kind of device it is, with that kind's own attributes.
func kind(b []byte, name string, data []byte) []byte {
	i := rtnl.Attr(nil, unix.IFLA_INFO_KIND, rtnl.Str(name))
	return rtnl.Attr(b, unix.IFLA_LINKINFO, rtnl.Attr(i, unix.IFLA_INFO_DATA, data))
}

func number(b []byte, attribute uint16, v int) []byte {
	return rtnl.Attr(b, attribute, rtnl.U32(nil, uint32(v)))
}

func family(a netip.Addr) byte {
	if a.Is4() {
		return unix.AF_INET
	}
	return unix.AF_INET6
}
