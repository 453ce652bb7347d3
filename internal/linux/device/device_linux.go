package device

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// tcMsgSize is the size of struct tcmsg, linux/rtnetlink.h.
const tcMsgSize = 20

var errShort = errors.New("message too short")

// ByIndex asks the kernel for one device.
func ByIndex(index int) (Device, error) {
	d, err := get(index)
	if err != nil {
		return Device{}, fmt.Errorf("get device %d: %w", index, err)
	}
	return d, nil
}

func get(index int) (Device, error) {
	body := make([]byte, unix.SizeofIfInfomsg)
	binary.NativeEndian.PutUint32(body[4:], uint32(index))
	replies, err := execute(unix.RTM_GETLINK, 0, body)
	if err != nil {
		return Device{}, err
	}
	if len(replies) == 0 {
		return Device{}, errors.New("no answer")
	}
	return parseDevice(replies[0].Data)
}

// List asks the kernel for all devices.
func List() ([]Device, error) {
	replies, err := execute(unix.RTM_GETLINK, netlink.Dump, make([]byte, unix.SizeofIfInfomsg))
	if err != nil {
		return nil, fmt.Errorf("list devices: %w", err)
	}
	var all []Device
	for _, r := range replies {
		d, err := parseDevice(r.Data)
		if err != nil {
			return nil, fmt.Errorf("list devices: %w", err)
		}
		all = append(all, d)
	}
	return all, nil
}

// Qdiscs lists the queueing disciplines of one device, the root first.
func Qdiscs(index int) ([]Qdisc, error) {
	body := make([]byte, tcMsgSize)
	replies, err := execute(unix.RTM_GETQDISC, netlink.Dump, body)
	if err != nil {
		return nil, fmt.Errorf("list qdiscs of device %d: %w", index, err)
	}
	var list []Qdisc
	for _, r := range replies {
		// The dump is of all devices.
		owner, q, err := parseQdisc(r.Data)
		if err != nil {
			return nil, fmt.Errorf("list qdiscs of device %d: %w", index, err)
		}
		if owner == index {
			list = append(list, q)
		}
	}
	return list, nil
}

func execute(typ netlink.HeaderType, flags netlink.HeaderFlags, body []byte) ([]netlink.Message, error) {
	conn, err := netlink.Dial(unix.NETLINK_ROUTE, nil)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return conn.Execute(netlink.Message{
		Header: netlink.Header{Type: typ, Flags: netlink.Request | flags},
		Data:   body,
	})
}

// parseDevice reads a struct ifinfomsg and its attributes.
func parseDevice(b []byte) (Device, error) {
	if len(b) < unix.SizeofIfInfomsg {
		return Device{}, errShort
	}
	d := Device{Index: int(int32(binary.NativeEndian.Uint32(b[4:])))}
	if binary.NativeEndian.Uint16(b[2:]) == unix.ARPHRD_LOOPBACK {
		d.Kind = "loopback"
	}
	d.Up = binary.NativeEndian.Uint32(b[8:])&unix.IFF_UP != 0
	ad, err := netlink.NewAttributeDecoder(b[unix.SizeofIfInfomsg:])
	if err != nil {
		return Device{}, err
	}
	for ad.Next() {
		switch ad.Type() {
		case unix.IFLA_IFNAME:
			d.Name = ad.String()
		case unix.IFLA_MTU:
			d.MTU = int(ad.Uint32())
		case unix.IFLA_LINK:
			d.Lower = int(ad.Uint32())
		case unix.IFLA_NUM_TX_QUEUES:
			d.TxQueues = int(ad.Uint32())
		case unix.IFLA_LINKINFO:
			ad.Nested(func(info *netlink.AttributeDecoder) error {
				for info.Next() {
					switch info.Type() {
					case unix.IFLA_INFO_KIND: // the kernel sends it before the data
						d.Kind = info.String()
					case unix.IFLA_INFO_DATA:
						info.Nested(func(data *netlink.AttributeDecoder) error {
							d.Remote = remote(d.Kind, data)
							return nil
						})
					}
				}
				return nil
			})
		}
	}
	if err := ad.Err(); err != nil {
		return Device{}, err
	}
	return d, nil
}

// remoteAttributes are those of a tunnel's outer address, by its kind:
// linux/if_tunnel.h (IFLA_GRE_REMOTE, IFLA_IPTUN_REMOTE) and linux/if_link.h
// (IFLA_VXLAN_GROUP, IFLA_VXLAN_GROUP6).
var remoteAttributes = map[string][]uint16{
	"gre": {7}, "gretap": {7}, "ip6gre": {7}, "ip6gretap": {7},
	"ipip": {3}, "sit": {3}, "ip6tnl": {3},
	"vxlan": {unix.IFLA_VXLAN_GROUP, unix.IFLA_VXLAN_GROUP6},
}

// remote reads a tunnel's outer address from its kind's own attributes.
func remote(kind string, data *netlink.AttributeDecoder) netip.Addr {
	var found netip.Addr
	for data.Next() {
		if !slices.Contains(remoteAttributes[kind], data.Type()) {
			continue
		}
		if a, ok := netip.AddrFromSlice(data.Bytes()); ok && !a.IsUnspecified() {
			found = a
		}
	}
	return found
}

// parseQdisc reads a struct tcmsg and its attributes. owner is the device.
func parseQdisc(b []byte) (owner int, q Qdisc, err error) {
	if len(b) < tcMsgSize {
		return 0, Qdisc{}, errShort
	}
	owner = int(int32(binary.NativeEndian.Uint32(b[4:])))
	q.Handle = Handle(binary.NativeEndian.Uint32(b[8:]))
	q.Parent = Handle(binary.NativeEndian.Uint32(b[12:]))
	ad, err := netlink.NewAttributeDecoder(b[tcMsgSize:])
	if err != nil {
		return 0, Qdisc{}, err
	}
	for ad.Next() {
		if ad.Type() == unix.TCA_KIND {
			q.Kind = ad.String()
		}
	}
	return owner, q, ad.Err()
}
