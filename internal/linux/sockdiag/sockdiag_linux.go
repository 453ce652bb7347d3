package sockdiag

import (
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"

	"unchoke/tcpinfo"
)

const (
	stateEstablished = 1 // TCP_ESTABLISHED, net/tcp_states.h
	allStates        = 0xffff_ffff
)

// Connections lists the established TCP connections of both families.
func Connections() ([]Connection, error) {
	return list(query{protocol: unix.IPPROTO_TCP, states: 1 << stateEstablished, wanted: 1 << (attributeCC - 1)})
}

// To lists the connections to one address and port, with their state.
func To(remote netip.AddrPort) ([]Connection, error) {
	all, err := list(query{
		protocol: unix.IPPROTO_TCP, states: 1 << stateEstablished, wanted: 1<<(attributeCC-1) | 1<<(attributeInfo-1),
		match: Match{RemotePort: remote.Port(), Remote: netip.PrefixFrom(remote.Addr(), remote.Addr().BitLen())},
	})
	var out []Connection
	for _, c := range all {
		if c.Remote == remote {
			out = append(out, c)
		}
	}
	return out, err
}

func list(q query) ([]Connection, error) {
	var all []Connection
	err := once(q, func(s *Socket) { all = append(all, connection(s)) })
	if err != nil {
		return nil, fmt.Errorf("list TCP connections: %w", err)
	}
	return all, nil
}

func connection(s *Socket) Connection {
	c := Connection{Local: s.Local(), Remote: s.Remote(), CC: string(s.CC()), UID: s.UID()}
	var info tcpinfo.Info
	if s.Info(&info) {
		c.Info = &info
	}
	return c
}

// UDP lists the UDP sockets of both families.
func UDP() ([]UDPSocket, error) {
	var all []UDPSocket
	for _, family := range []byte{unix.AF_INET, unix.AF_INET6} {
		q := query{family: family, protocol: unix.IPPROTO_UDP, states: allStates, wanted: 1 << (attributeMemory - 1)}
		if err := once(q, func(s *Socket) { all = append(all, udpSocket(s)) }); err != nil {
			return nil, fmt.Errorf("list UDP sockets: %w", err)
		}
	}
	return all, nil
}

// once makes one dump in the calling thread's network namespace.
func once(q query, f func(*Socket)) error {
	d, err := Open()
	if err != nil {
		return err
	}
	defer d.Close()
	return d.each(q, f)
}
