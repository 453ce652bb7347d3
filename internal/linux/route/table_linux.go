package route

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/rtnl"
)

// Entry is a route of the calling thread's namespace.
type Entry struct {
	Prefix   netip.Prefix // of the destination; 0.0.0.0/0 or ::/0 for a default route
	Index    int          // of the device
	Table    uint32
	Metric   uint32
	TOS      uint8  // of the packets that it is for; 0: all that no other route is for
	Protocol uint8  // who made it: RTPROT_*, linux/rtnetlink.h
	CC       string // the congestion control of its sockets; empty where the host's default applies
	// Shared says that the table has another route to the same prefix with the same
	// metric and TOS, of whatever type and by whatever device. The kernel, told to
	// replace one of them, takes the first.
	Shared bool
	// Message is the struct rtmsg and attributes as the kernel gave them.
	Message []byte
}

// List gives the unicast routes that go by one device, of both families and all
// tables.
func List() ([]Entry, error) {
	var entries []Entry
	routes := map[place]int{}
	for _, family := range []byte{unix.AF_INET, unix.AF_INET6} {
		ask := make([]byte, unix.SizeofRtMsg)
		ask[0] = family
		replies, err := rtnl.List(unix.RTM_GETROUTE, ask)
		if err != nil {
			return nil, fmt.Errorf("list routes: %w", err)
		}
		for _, r := range replies {
			e, err := parseEntry(r)
			if err != nil {
				return nil, fmt.Errorf("list routes: %w", err)
			}
			if e.Prefix.IsValid() {
				routes[e.place()]++
			}
			if e.Index != 0 {
				entries = append(entries, e)
			}
		}
	}
	for i, e := range entries {
		entries[i].Shared = routes[e.place()] > 1
	}
	return entries, nil
}

// place is where a route is in the tables: the kernel tells routes to be replaced
// by no more than this.
type place struct {
	prefix        netip.Prefix
	table, metric uint32
	tos           uint8
}

func (e Entry) place() place { return place{e.Prefix, e.Table, e.Metric, e.TOS} }

// parseEntry reads a struct rtmsg and its attributes. What is no unicast route
// by one device has no index, and what is only a copy of one no prefix either.
func parseEntry(b []byte) (Entry, error) {
	if len(b) < unix.SizeofRtMsg {
		return Entry{}, errShort
	}
	var m unix.RtMsg
	m.Family, m.Dst_len, m.Tos, m.Table, m.Protocol, m.Type = b[0], b[1], b[3], b[4], b[5], b[7]
	m.Flags = binary.NativeEndian.Uint32(b[8:])
	if m.Flags&unix.RTM_F_CLONED != 0 {
		return Entry{}, nil
	}
	e := Entry{Table: uint32(m.Table), TOS: m.Tos, Protocol: m.Protocol, Message: b}
	dst := netip.IPv4Unspecified()
	if m.Family == unix.AF_INET6 {
		dst = netip.IPv6Unspecified()
	}
	ad := rtnl.NewDecoder(b[unix.SizeofRtMsg:])
	for ad.Next() {
		switch ad.Type() {
		case unix.RTA_DST:
			ad.Do(address(&dst))
		case unix.RTA_OIF:
			e.Index = int(ad.Uint32())
		case unix.RTA_TABLE:
			e.Table = ad.Uint32()
		case unix.RTA_PRIORITY:
			e.Metric = ad.Uint32()
		case unix.RTA_METRICS:
			ad.Nested(func(ad *rtnl.Decoder) error {
				for ad.Next() {
					if ad.Type() == unix.RTAX_CC_ALGO {
						e.CC = ad.String()
					}
				}
				return nil
			})
		}
	}
	if err := ad.Err(); err != nil {
		return Entry{}, err
	}
	if int(m.Dst_len) > dst.BitLen() {
		return Entry{}, fmt.Errorf("prefix of %d bits", m.Dst_len)
	}
	e.Prefix = netip.PrefixFrom(dst, int(m.Dst_len))
	if m.Type != unix.RTN_UNICAST {
		e.Index = 0
	}
	return e, nil
}

// SetCC gives the route another congestion control, "" for the host's default,
// and leaves all else as it is. It fails where the route is gone. One that is
// shared may not be set.
func (e Entry) SetCC(name string) error {
	body, err := e.withCC(name)
	if err == nil {
		err = rtnl.Do(rtnl.Request{Type: unix.RTM_NEWROUTE, Flags: unix.NLM_F_REPLACE, Body: body})
	}
	if err != nil {
		return fmt.Errorf("set congestion control %q on route %v: %w", name, e.Prefix, err)
	}
	return nil
}

const (
	userHZ = 100 // the unit of rta_expires (USER_HZ)

	// rtaExpires is RTA_EXPIRES, in seconds (linux/rtnetlink.h).
	rtaExpires = 23

	// rtaNexthopID is RTA_NH_ID, the number of a nexthop object.
	rtaNexthopID = 30
)

// withCC is the request that makes the route anew with another congestion
// control.
func (e Entry) withCC(name string) ([]byte, error) {
	if len(e.Message) < unix.SizeofRtMsg {
		return nil, errShort
	}
	head := append([]byte(nil), e.Message[:unix.SizeofRtMsg]...)
	// Of the flags only this one is the administrator's; the rest say how the
	// device is.
	flags := binary.NativeEndian.Uint32(head[8:]) & unix.RTNH_F_ONLINK
	object := e.hasNexthopObject()
	if object {
		flags = 0 // they are the object's
	}
	binary.NativeEndian.PutUint32(head[8:], flags)

	body := head
	var metrics []byte // attributes, without the congestion control's
	ad := rtnl.NewDecoder(e.Message[unix.SizeofRtMsg:])
	for ad.Next() {
		if object && ofNexthop[ad.Type()] {
			continue
		}
		switch ad.Type() {
		case unix.RTA_METRICS:
			ad.Nested(func(ad *rtnl.Decoder) error {
				for ad.Next() {
					if ad.Type() != unix.RTAX_CC_ALGO {
						metrics = rtnl.Attr(metrics, ad.WholeType(), ad.Bytes())
					}
				}
				return nil
			})
		case unix.RTA_CACHEINFO:
			// struct rta_cacheinfo: clntref, lastuse, expires, …
			if info := ad.Bytes(); len(info) >= 12 {
				if left := int32(binary.NativeEndian.Uint32(info[8:])); left > 0 {
					body = rtnl.Attr(body, rtaExpires, rtnl.U32(nil, uint32(left)/userHZ))
				}
			}
		default:
			body = rtnl.Attr(body, ad.WholeType(), ad.Bytes())
		}
	}
	if err := ad.Err(); err != nil {
		return nil, err
	}
	if name != "" {
		metrics = rtnl.Attr(metrics, unix.RTAX_CC_ALGO, rtnl.Str(name))
	}
	return rtnl.Attr(body, unix.NLA_F_NESTED|unix.RTA_METRICS, metrics), nil
}

// ofNexthop are the attributes that the kernel adds from a nexthop object, and does
// not take beside its number.
var ofNexthop = map[uint16]bool{
	unix.RTA_OIF: true, unix.RTA_GATEWAY: true, unix.RTA_VIA: true, unix.RTA_MULTIPATH: true,
	unix.RTA_ENCAP: true, unix.RTA_ENCAP_TYPE: true,
}

// hasNexthopObject says that the route goes by a nexthop object (ip nexthop).
func (e Entry) hasNexthopObject() bool {
	ad := rtnl.NewDecoder(e.Message[unix.SizeofRtMsg:])
	for ad.Next() {
		if ad.Type() == rtaNexthopID {
			return true
		}
	}
	return false
}
