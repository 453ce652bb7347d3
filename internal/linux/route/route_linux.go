package route

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/rtnl"
)

var errShort = errors.New("message too short")

// Get asks for the route of a new connection from this host to addr. device is
// the index of the one to go by, as for a link-local address; 0 leaves it open.
func Get(addr netip.Addr, device int) (Route, error) {
	r, err := get(addr.Unmap(), device)
	if err != nil {
		return Route{}, fmt.Errorf("get route to %s: %w", addr, err)
	}
	return r, nil
}

func get(addr netip.Addr, device int) (Route, error) {
	reply, err := rtnl.Get(unix.RTM_GETROUTE, request(addr, device))
	if err != nil {
		return Route{}, err
	}
	return parse(reply)
}

// request is a struct rtmsg with the destination.
func request(addr netip.Addr, device int) []byte {
	msg := make([]byte, unix.SizeofRtMsg)
	msg[0] = unix.AF_INET6
	if addr.Is4() {
		msg[0] = unix.AF_INET
	}
	msg[1] = byte(addr.BitLen())
	msg = rtnl.Attr(msg, unix.RTA_DST, addr.AsSlice())
	if device != 0 {
		msg = rtnl.Attr(msg, unix.RTA_OIF, rtnl.U32(nil, uint32(device)))
	}
	return msg
}

// parse reads a struct rtmsg and its attributes.
func parse(b []byte) (Route, error) {
	if len(b) < unix.SizeofRtMsg {
		return Route{}, errShort
	}
	ad := rtnl.NewDecoder(b[unix.SizeofRtMsg:])
	r := Route{Type: b[7]}
	for ad.Next() {
		switch ad.Type() {
		case unix.RTA_OIF:
			r.Index = int(ad.Uint32())
		case unix.RTA_PREFSRC:
			ad.Do(address(&r.Source))
		case unix.RTA_GATEWAY:
			ad.Do(address(&r.Gateway))
		case unix.RTA_VIA:
			ad.Do(via(&r.Gateway))
		case unix.RTA_METRICS:
			ad.Nested(r.metrics)
		}
	}
	if err := ad.Err(); err != nil {
		return Route{}, err
	}
	return r, nil
}

func (r *Route) metrics(ad *rtnl.Decoder) error {
	for ad.Next() {
		switch ad.Type() {
		case unix.RTAX_MTU:
			r.MTU = int(ad.Uint32())
		case unix.RTAX_CC_ALGO:
			r.CC = ad.String()
		}
	}
	return nil
}

func address(to *netip.Addr) func([]byte) error {
	return func(b []byte) error {
		addr, ok := netip.AddrFromSlice(b)
		if !ok {
			return fmt.Errorf("address of %d bytes", len(b))
		}
		*to = addr
		return nil
	}
}

// via reads a gateway of another family: a struct rtvia.
func via(to *netip.Addr) func([]byte) error {
	return func(b []byte) error {
		if len(b) < 2 {
			return errShort
		}
		family := binary.NativeEndian.Uint16(b)
		if family != unix.AF_INET && family != unix.AF_INET6 {
			return nil // neither can be printed as an address
		}
		return address(to)(b[2:])
	}
}
