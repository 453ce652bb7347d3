package device

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/rtnl"
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
	reply, err := rtnl.Get(unix.RTM_GETLINK, body)
	if err != nil {
		return Device{}, err
	}
	return parseDevice(reply)
}

// List asks the kernel for all devices.
func List() ([]Device, error) {
	replies, err := rtnl.List(unix.RTM_GETLINK, make([]byte, unix.SizeofIfInfomsg))
	if err != nil {
		return nil, fmt.Errorf("list devices: %w", err)
	}
	var all []Device
	for _, r := range replies {
		d, err := parseDevice(r)
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
	replies, err := rtnl.List(unix.RTM_GETQDISC, body)
	if err != nil {
		return nil, fmt.Errorf("list qdiscs of device %d: %w", index, err)
	}
	var list []Qdisc
	for _, r := range replies {
		// The dump is of all devices.
		owner, q, err := parseQdisc(r)
		if err != nil {
			return nil, fmt.Errorf("list qdiscs of device %d: %w", index, err)
		}
		if owner == index {
			list = append(list, q)
		}
	}
	return list, nil
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
	ad := rtnl.NewDecoder(b[unix.SizeofIfInfomsg:])
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
			ad.Nested(func(info *rtnl.Decoder) error {
				for info.Next() {
					switch info.Type() {
					case unix.IFLA_INFO_KIND: // the kernel sends it before the data
						d.Kind = info.String()
					case unix.IFLA_INFO_DATA:
						info.Nested(func(data *rtnl.Decoder) error {
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

// isRemote says that an attribute of a tunnel of this kind is its outer address:
// linux/if_tunnel.h (IFLA_GRE_REMOTE, IFLA_IPTUN_REMOTE) and linux/if_link.h
// (IFLA_VXLAN_GROUP, IFLA_VXLAN_GROUP6).
func isRemote(kind string, attribute uint16) bool {
	switch kind {
	case "gre", "gretap", "ip6gre", "ip6gretap":
		return attribute == 7
	case "ipip", "sit", "ip6tnl":
		return attribute == 3
	case "vxlan":
		return attribute == unix.IFLA_VXLAN_GROUP || attribute == unix.IFLA_VXLAN_GROUP6
	}
	return false
}

// remote reads a tunnel's outer address from its kind's own attributes.
func remote(kind string, data *rtnl.Decoder) netip.Addr {
	var found netip.Addr
	for data.Next() {
		if !isRemote(kind, data.Type()) {
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
	ad := rtnl.NewDecoder(b[tcMsgSize:])
	for ad.Next() {
		if ad.Type() == unix.TCA_KIND {
			q.Kind = ad.String()
		}
	}
	return owner, q, ad.Err()
}
