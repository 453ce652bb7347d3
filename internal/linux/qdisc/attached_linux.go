package qdisc

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"

	"unchoke/internal/linux/rtnl"
)

// tcmSize is the size of struct tcmsg, linux/rtnetlink.h.
const tcmSize = 20

var errShort = errors.New("message too short")

// List gives the queueing disciplines of a device of the calling thread's
// namespace, the root first. Ingress and clsact hooks are not among them.
func List(dev int) ([]Attached, error) {
	conn, err := netlink.Dial(unix.NETLINK_ROUTE, nil)
	if err != nil {
		return nil, fmt.Errorf("list qdiscs of device %d: %w", dev, err)
	}
	defer conn.Close()
	replies, err := conn.Execute(netlink.Message{
		Header: netlink.Header{Type: unix.RTM_GETQDISC, Flags: netlink.Request | netlink.Dump},
		Data:   make([]byte, tcmSize),
	})
	if err != nil {
		return nil, fmt.Errorf("list qdiscs of device %d: %w", dev, err)
	}
	var root, leaves []Attached
	for _, r := range replies {
		owner, a, err := parseAttached(r.Data)
		switch {
		case err != nil:
			return nil, fmt.Errorf("list qdiscs of device %d: %w", dev, err)
		case owner != dev || a.Parent == ClsactParent: // the dump is of all devices
		case a.Parent == Root:
			root = append(root, a)
		default:
			leaves = append(leaves, a)
		}
	}
	return append(root, leaves...), nil
}

// parseAttached reads a struct tcmsg and its attributes. owner is the device.
func parseAttached(b []byte) (owner int, a Attached, err error) {
	if len(b) < tcmSize {
		return 0, Attached{}, errShort
	}
	owner = int(int32(binary.NativeEndian.Uint32(b[4:])))
	a.Handle = Handle(binary.NativeEndian.Uint32(b[8:]))
	a.Parent = Handle(binary.NativeEndian.Uint32(b[12:]))
	ad, err := netlink.NewAttributeDecoder(b[tcmSize:])
	if err != nil {
		return 0, Attached{}, err
	}
	for ad.Next() {
		switch ad.Type() {
		case tcaKind:
			a.Name = ad.String()
		case tcaOptions:
			a.Options = ad.Bytes()
		}
	}
	return owner, a, ad.Err()
}

// Delete takes away what is attached to a device there. At the root the kernel
// then attaches its default; it refuses to delete that.
func Delete(dev int, parent Handle) error {
	return rtnl.Do(rtnl.Request{Type: unix.RTM_DELQDISC, Body: tcm(dev, parent, 0, 0)})
}
