package iperf3

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"

	"unchoke/iperf3/internal/datagram"
	"unchoke/iperf3/internal/link"
	"unchoke/iperf3/internal/wire"
)

// openUDP opens the port for the client's UDP streams. Nothing is sent but to
// the address that is at the other end of the control connection, and there
// only a reply of four bytes until the test runs.
func (v *visit) openUDP(directions []bool) error {
	local, err := netip.ParseAddrPort(v.ctl.conn.LocalAddr().String())
	if err != nil {
		return fmt.Errorf("the server's own address: %w", err)
	}
	local = netip.AddrPortFrom(local.Addr().Unmap(), local.Port())
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error { return link.ShareAddress(c) }}
	pc, err := config.ListenPacket(context.Background(), "udp", local.String())
	if err != nil {
		_ = v.ctl.sendError(wire.CodeStreamListen)
		return fmt.Errorf("listen for UDP streams: %w", err)
	}
	defer pc.Close()
	if err := v.ctl.send(wire.CreateStreams); err != nil {
		return err
	}
	v.heard = v.ctl.listen()
	door := udpDoor{visit: v, pc: pc, local: local, conns: map[netip.AddrPort]net.Conn{}}
	conns, err := door.admit(directions)
	v.traffic = newTraffic(v.test, nil)
	for n, conn := range conns {
		stream, linkErr := link.NewUDP(conn, stamps(&v.test))
		if linkErr != nil {
			conn.Close()
			err = errors.Join(err, linkErr)
			continue
		}
		v.traffic.flows = append(v.traffic.flows, &flow{
			id: streamID(n), sending: directions[n], udp: stream,
		})
	}
	if err != nil {
		_ = v.ctl.sendError(wire.CodeStreamAccept)
		return err
	}
	return v.start()
}

// A udpDoor admits UDP streams: each gets a socket of its own, connected to
// its peer.
type udpDoor struct {
	visit *visit
	pc    net.PacketConn
	local netip.AddrPort
	conns map[netip.AddrPort]net.Conn
}

// admit returns the connected sockets, in order, also when it fails.
func (d *udpDoor) admit(directions []bool) (conns []net.Conn, err error) {
	ctl := d.visit.ctl
	peer := host(ctl.conn.RemoteAddr())
	deadline := ctl.deadline(ctl.timeout)
	buf := make([]byte, 1<<16) // some systems fail to read what is longer
	for len(conns) < len(directions) {
		if heard := d.visit.heard; heard.within(0) {
			return conns, d.visit.departed(heard.message)
		}
		if time.Now().After(deadline) {
			return conns, fmt.Errorf("%d of %d UDP streams arrived", len(conns), len(directions))
		}
		if err := d.pc.SetReadDeadline(time.Now().Add(link.PollEvery)); err != nil {
			return conns, err
		}
		n, from, err := d.pc.ReadFrom(buf)
		if err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) || link.IsRefused(err) || link.IsReset(err) {
				continue
			}
			return conns, fmt.Errorf("receive on the UDP port: %w", err)
		}
		if host(from) != peer || !datagram.IsHello(buf[:n]) {
			continue
		}
		addr := netip.MustParseAddrPort(from.String())
		conn := d.conns[addr]
		if conn == nil {
			if conn, err = d.connect(from, directions[len(conns)]); err != nil {
				return conns, err
			}
			d.conns[addr] = conn
			conns = append(conns, conn)
			deadline = ctl.deadline(ctl.timeout)
		}
		// Lost, it is asked for again.
		_, _ = conn.Write(datagram.Reply())
	}
	return conns, nil
}

func (d *udpDoor) connect(peer net.Addr, sending bool) (net.Conn, error) {
	dialer := net.Dialer{
		LocalAddr: net.UDPAddrFromAddrPort(d.local),
		Control: func(network, _ string, c syscall.RawConn) error {
			d.visit.setOptions(c, network, sending)
			return link.ShareAddress(c)
		},
	}
	conn, err := dialer.Dial("udp", peer.String())
	if err != nil {
		return nil, fmt.Errorf("connect a UDP stream: %w", err)
	}
	return conn, nil
}

// setOptions sets what the test asks of a data socket. A server that cannot
// give all of it runs the test with what it can, the window apart: the client
// sees what was used.
func (v *visit) setOptions(c syscall.RawConn, network string, sending bool) {
	options := v.test.options(sending)
	options.MSS = 0 // is set on the listener, before the connection is made
	if _, err := options.Set(network, c); errors.Is(err, ErrCongestion) {
		options.Congestion = ""
		_, _ = options.Set(network, c)
	}
}
