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

// Replace attaches q to a device of the calling thread's namespace, in the
// place of what is attached there.
func Replace(dev int, parent, handle Handle, q Qdisc) error {
	return rtnl.Do(ReplaceRequest("", dev, parent, handle, q))
}

// ReplaceRequest asks for what Replace does, what in words.
func ReplaceRequest(what string, dev int, parent, handle Handle, q Qdisc) rtnl.Request {
	return rtnl.Request{
		What: what, Kind: q.Kind(), Type: unix.RTM_NEWQDISC, Flags: unix.NLM_F_CREATE | unix.NLM_F_REPLACE,
		Body: message(dev, parent, handle, 0, q.Kind(), q.options()),
	}
}

// FilterRequest asks for f on a hook of a device that has a clsact qdisc, what
// in words.
func FilterRequest(what string, dev int, hook Handle, f Filter) rtnl.Request {
	const priority = 1
	// tcm_info is the priority, and the protocol in network order.
	var all [2]byte
	binary.BigEndian.PutUint16(all[:], unix.ETH_P_ALL)
	info := uint32(priority)<<16 | uint32(binary.NativeEndian.Uint16(all[:]))
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
