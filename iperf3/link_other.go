//go:build !linux

package iperf3

import "net"

func newTCPLink(conn net.Conn) (tcpLink, error) { return &netTCP{conn: conn}, nil }

func newUDPLink(conn net.Conn, _ bool) (udpLink, error) { return &netUDP{conn: conn}, nil }

// maxSegment returns the MSS of a TCP connection, or 0 if it cannot be told.
func maxSegment(net.Conn) int { return 0 }

func prepareUDP(*Test, int, bool) {}
