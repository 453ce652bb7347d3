package sockdiag

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"

	"unchoke/tcpinfo"
)

// Of linux/sock_diag.h and linux/inet_diag.h.
const (
	sockDiagByFamily = 20
	diagInfo         = 2 // INET_DIAG_INFO
	diagCong         = 4 // INET_DIAG_CONG
	requestSize      = 56
	messageSize      = 72

	stateEstablished = 1 // TCP_ESTABLISHED, net/tcp_states.h
)

var errShort = errors.New("message too short")

// Connections lists the established TCP connections of both families.
func Connections() ([]Connection, error) { return list(1 << (diagCong - 1)) }

// To lists the connections to one address and port, with their state.
func To(remote netip.AddrPort) ([]Connection, error) {
	all, err := list(1<<(diagCong-1) | 1<<(diagInfo-1))
	return slices.DeleteFunc(all, func(c Connection) bool { return c.Remote != remote }), err
}

// list lists all connections with the attributes that are wanted.
func list(wanted byte) ([]Connection, error) {
	conn, err := netlink.Dial(unix.NETLINK_INET_DIAG, nil)
	if err != nil {
		return nil, fmt.Errorf("list TCP connections: %w", err)
	}
	defer conn.Close()
	var all []Connection
	for _, family := range []byte{unix.AF_INET, unix.AF_INET6} {
		replies, err := conn.Execute(netlink.Message{
			Header: netlink.Header{Type: sockDiagByFamily, Flags: netlink.Request | netlink.Dump},
			Data:   request(family, wanted),
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
func request(family, wanted byte) []byte {
	b := make([]byte, requestSize)
	b[0], b[1] = family, unix.IPPROTO_TCP
	b[2] = wanted // idiag_ext
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
		switch ad.Type() {
		case diagCong:
			c.CC = ad.String()
		case diagInfo:
			if info, err := tcpinfo.Parse(ad.Bytes()); err == nil { // else of a kernel too old
				c.Info = &info
			}
		}
	}
	return c, ad.Err()
}
