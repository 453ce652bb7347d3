package qdisc

import (
	"encoding/binary"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/rtnl"
)

// Attributes of every qdisc and filter message (linux/rtnetlink.h).
const (
	tcaKind    = 1
	tcaOptions = 2
)

// Renew attaches q to a device of the calling thread's namespace, made anew in
// the place of what is attached there. It happens whole or not at all, and at no
// moment is nothing attached. It is refused with EEXIST where anything on the
// device has the handle, and, with handle 0, where what is there is of the same
// kind and not the kernel's own: that would be changed, and not every option can
// be (tc_modify_qdisc, net/sched/sch_api.c).
func Renew(dev int, parent, handle Handle, q Qdisc) error {
	r := ReplaceRequest("", dev, parent, handle, q)
	r.Flags |= unix.NLM_F_EXCL
	return rtnl.Do(r)
}

// ReplaceRequest asks for what Replace does, what in words.
func ReplaceRequest(what string, dev int, parent, handle Handle, q Qdisc) rtnl.Request {
	return rtnl.Request{
		What: what, Kind: q.Kind(), Type: unix.RTM_NEWQDISC, Flags: unix.NLM_F_CREATE | unix.NLM_F_REPLACE,
		Body: message(dev, parent, handle, 0, q.Kind(), q.options()),
	}
}

// ClassRequest asks for a class of a qdisc that has them, parent being that
// qdisc's handle, what in words.
func ClassRequest(what string, dev int, parent, class Handle, c HTBClass) rtnl.Request {
	return rtnl.Request{
		What: what, Kind: "htb", Type: unix.RTM_NEWTCLASS, Flags: unix.NLM_F_CREATE | unix.NLM_F_REPLACE,
		Body: message(dev, parent, class, 0, "htb", c.options()),
	}
}

// FilterRequest asks for f on a hook of a device that has a clsact qdisc, what
// in words. Filters are asked by their priority, the lowest number first; those
// of one priority are of one protocol.
func FilterRequest(what string, dev int, hook Handle, priority uint16, f Filter) rtnl.Request {
	// tcm_info is the priority, and the protocol in network order.
	var protocol [2]byte
	binary.BigEndian.PutUint16(protocol[:], f.protocol())
	info := uint32(priority)<<16 | uint32(binary.NativeEndian.Uint16(protocol[:]))
	return rtnl.Request{
		What: what, Kind: f.Kind() + " or not its action", Type: unix.RTM_NEWTFILTER, Flags: unix.NLM_F_CREATE | unix.NLM_F_REPLACE,
		Body: message(dev, hook, 0, info, f.Kind(), f.options()),
	}
}

// message is a struct tcmsg and the attributes of the object.
func message(dev int, parent, handle Handle, info uint32, kind string, options []byte) []byte {
	b := rtnl.Attr(tcm(dev, parent, handle, info), tcaKind, rtnl.Str(kind))
	if options != nil {
		b = rtnl.Attr(b, tcaOptions, options)
	}
	return b
}

// tcm is a struct tcmsg.
func tcm(dev int, parent, handle Handle, info uint32) []byte {
	b := make([]byte, 4, tcmSize) // family and padding
	b = rtnl.U32(b, uint32(dev))
	b = rtnl.U32(b, uint32(handle))
	b = rtnl.U32(b, uint32(parent))
	return rtnl.U32(b, info)
}
