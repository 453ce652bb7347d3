package sockdiag

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// Of linux/sock_diag.h and linux/inet_diag.h.
const (
	sockDiagByFamily = 20
	diagCong         = 4 // INET_DIAG_CONG
	requestSize      = 56
	messageSize      = 72

	stateEstablished = 1 // TCP_ESTABLISHED, net/tcp_states.h
)

var errShort = errors.New("message too short")

// Connections lists the established TCP connections of both families.
func Connections() ([]Connection, error) {
	conn, err := netlink.Dial(unix.NETLINK_INET_DIAG, nil)
	if err != nil {
		return nil, fmt.Errorf("list TCP connections: %w", err)
	}
	defer conn.Close()
	var all []Connection
	for _, family := range []byte{unix.AF_INET, unix.AF_INET6} {
		replies, err := conn.Execute(netlink.Message{
			Header: netlink.Header{Type: sockDiagByFamily, Flags: netlink.Request | netlink.Dump},
			Data:   request(family),
		})
		if err != nil {
			return nil, fmt.Errorf("list TCP connections: %w", err)
		}
		for _, r := range replies {
			c, err := parse(r.Data)
			if err != nil {
				return nil, fmt.Errorf("list TCP connections: %w", err)
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// request is a struct inet_diag_req_v2 for one family's connections.
func request(family byte) []byte {
	b := make([]byte, requestSize)
	b[0], b[1] = family, unix.IPPROTO_TCP
	b[2] = 1 << (diagCong - 1) // idiag_ext: attributes wanted
	binary.NativeEndian.PutUint32(b[4:], 1<<stateEstablished)
	return b
}

// parse reads a struct inet_diag_msg and its attributes.
func parse(b []byte) (Connection, error) {
	if len(b) < messageSize {
		return Connection{}, errShort
	}
	size := 4
	if b[0] == unix.AF_INET6 {
		size = 16
	}
	// struct inet_diag_sockid: ports and addresses in network order, from the
	// fourth byte on.
	end := func(port, address int) netip.AddrPort {
		addr, _ := netip.AddrFromSlice(b[address : address+size])
		return netip.AddrPortFrom(addr.Unmap(), binary.BigEndian.Uint16(b[port:]))
	}
	c := Connection{Local: end(4, 8), Remote: end(6, 24)}
	ad, err := netlink.NewAttributeDecoder(b[messageSize:])
	if err != nil {
		return Connection{}, err
	}
	for ad.Next() {
		if ad.Type() == diagCong {
			c.CC = ad.String()
		}
	}
	return c, ad.Err()
}
