// Package link moves bytes and datagrams through the sockets of a test's
// streams, as the platform does it fastest, and sets the sockets' options. On
// Linux it uses system calls of its own; elsewhere, and for connections without a
// descriptor, package net.
package link

import (
	"errors"
	"time"

	"unchoke/tcpinfo"
)

// A TCP is a TCP connection as the platform moves data fastest.
type TCP interface {
	// Send writes some of p, waiting at most for patience; 0, nil means that
	// it timed out.
	Send(p []byte, patience time.Duration) (int, error)
	// Receive takes what has arrived and forgets it, waiting at most for
	// PollEvery; 0, nil means that it timed out. The end is io.EOF.
	Receive() (int, error)
	// Tune tells a receiver the rate at which it and its like are receiving, in
	// bytes/s, so that it wakes no more often than it needs to.
	Tune(rate int64)
	// Narrow lets a receiver offer its peer a small window from now on, where the
	// system can. What it has offered before still arrives.
	Narrow()
	// Info is TCP_INFO now; tcpinfo.ErrNotSupported where the system has none.
	Info() (tcpinfo.Info, error)
	// Congestion names the congestion control in use; "" if it cannot be told.
	Congestion() string
	// Buffer is the size of the socket's send buffer, or of its receive buffer,
	// in the terms in which one is asked for; 0 if it cannot be told.
	Buffer(sending bool) int
	// Interrupt makes Receive return io.EOF, now and later.
	Interrupt()
	Close() error
}

// A UDP is a connected UDP socket.
type UDP interface {
	// MaxBatch is how many datagrams of the size one Send can take.
	MaxBatch(size int) int
	// Send sends n datagrams of len(p)/n bytes and returns how many the
	// system took. It waits at most for PollEvery.
	Send(p []byte, n int) (int, error)
	// Receive takes what has arrived, waiting at most for PollEvery, and
	// calls got for each datagram: its beginning, its whole size, and when it
	// arrived.
	Receive(got func(p []byte, size int, arrived time.Time)) error
	// Interrupt makes Receive return io.EOF, now and later.
	Interrupt()
	Close() error
}

// PollEvery bounds the time in which a worker notices that the test is over: no
// call waits longer, but for a TCP's Send with more patience.
const PollEvery = 100 * time.Millisecond

// ErrFull is what UDP.Send returns when the socket's buffer stayed full,
// ErrDropped when the system threw a datagram away at once (ENOBUFS).
var (
	ErrFull    = errors.New("the socket's buffer is full")
	ErrDropped = errors.New("the system dropped the packet")
)
