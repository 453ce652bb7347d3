package link

import (
	"errors"
	"syscall"
)

// ErrCongestion says that this host refuses the congestion control asked for.
var ErrCongestion error = noCongestion{}

type noCongestion struct{}

func (noCongestion) Error() string { return "this host does not offer that congestion control" }

// Hint says what to do next.
func (noCongestion) Hint() string {
	return "see net.ipv4.tcp_available_congestion_control and tcp_allowed_congestion_control; load it with `modprobe tcp_NAME`"
}

// IsReset tells whether the peer reset the connection.
func IsReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || isWSA(err, 10054)
}

// IsRefused tells whether nothing listens at the other end.
func IsRefused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || isWSA(err, 10061)
}

// IsUnreachable tells whether no way leads to the other end, or something on it
// says that it is closed.
func IsUnreachable(err error) bool {
	return errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETUNREACH) || isWSA(err, 10065) || isWSA(err, 10051)
}

func isNoBuffers(err error) bool {
	return errors.Is(err, syscall.ENOBUFS) || isWSA(err, 10055)
}

// isWSA tells whether err is one of Winsock's numbers, which package syscall
// does not map to its names.
func isWSA(err error, code uintptr) bool {
	var errno syscall.Errno
	return errors.As(err, &errno) && uintptr(errno) == code
}
