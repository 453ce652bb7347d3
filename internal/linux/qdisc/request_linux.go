package qdisc

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// Attributes of every qdisc and filter message (linux/rtnetlink.h).
const (
	tcaKind    = 1
	tcaOptions = 2
)

// Replace attaches q to a device of the calling thread's namespace, in the
// place of what is attached there.
func Replace(dev int, parent, handle Handle, q Qdisc) error {
	return request(unix.RTM_NEWQDISC, q.Kind(), message(dev, parent, handle, 0, q.Kind(), q.options()))
}

// AddFilter attaches f to a hook of a device that has a clsact qdisc.
func AddFilter(dev int, hook Handle, f Filter) error {
	const priority = 1
	// tcm_info is the priority, and the protocol in network order.
	var all [2]byte
	binary.BigEndian.PutUint16(all[:], unix.ETH_P_ALL)
	info := uint32(priority)<<16 | uint32(binary.NativeEndian.Uint16(all[:]))
	return request(unix.RTM_NEWTFILTER, f.Kind()+" or not its action", message(dev, hook, 0, info, f.Kind(), f.options()))
}

func request(verb int, what string, payload []byte) error {
	r := nl.NewNetlinkRequest(verb, unix.NLM_F_CREATE|unix.NLM_F_REPLACE|unix.NLM_F_ACK)
	r.AddRawData(payload)
	_, err := r.Execute(unix.NETLINK_ROUTE, 0)
	if errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("this kernel has no %s: %w", what, err)
	}
	return err
}

// message is a struct tcmsg and the attributes of the object.
func message(dev int, parent, handle Handle, info uint32, kind string, options []byte) []byte {
	b := make([]byte, 4, 64+len(options)) // family and padding
	b = u32(b, uint32(dev))
	b = u32(b, uint32(handle))
	b = u32(b, uint32(parent))
	b = u32(b, info)
	b = attr(b, tcaKind, str(kind))
	if options != nil {
		b = attr(b, tcaOptions, options)
	}
	return b
}
