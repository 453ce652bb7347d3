package link

import "strings"

// Options are what a test asks of one of its sockets and must be set before it
// connects. What is zero stays as the system has it.
type Options struct {
	Window     int    // bytes of each of the socket's buffers
	MSS        int    // bytes; TCP only
	TOS        int    // IP type of service, or IPv6 traffic class
	Congestion string // congestion control; TCP, only where this side sends
	Sending    bool   // this side sends on the socket
	Stamps     bool   // the kernel tells when each datagram arrived; UDP, only where this side receives
}

func isUDP(network string) bool { return strings.HasPrefix(network, "udp") }
