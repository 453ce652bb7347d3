//go:build !linux

package link

import "net"

// NewTCP takes the connection over.
func NewTCP(conn net.Conn) (TCP, error) { return &netTCP{conn: conn}, nil }

// NewUDP takes the socket over. Arrivals are the times of the calls.
func NewUDP(conn net.Conn, _ bool) (UDP, error) { return &netUDP{conn: conn}, nil }

// BorrowUDP is NewUDP for a socket that its owner uses again once it is closed here.
func BorrowUDP(conn *net.UDPConn, _ bool) (UDP, error) {
	return &netUDP{conn: conn, borrowed: true}, nil
}

// MaxSegment returns the MSS of a TCP connection, or 0 if it cannot be told.
func MaxSegment(net.Conn) int { return 0 }

// prepareReceiver has nothing to set here.
func (Options) prepareReceiver(int) {}
