package cc

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// try sets the algorithm on a socket.
func try(name string) (Have, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, unix.IPPROTO_TCP)
	if errors.Is(err, unix.EAFNOSUPPORT) {
		fd, err = unix.Socket(unix.AF_INET6, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, unix.IPPROTO_TCP)
	}
	if err != nil {
		return Unknown, fmt.Errorf("probe congestion control %s: open a socket: %w", name, err)
	}
	defer unix.Close(fd)
	return verdict(name, unix.SetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, name))
}

// verdict reads what setsockopt said: EPERM for an algorithm outside
// tcp_allowed_congestion_control, ENOENT for one that is not loaded.
func verdict(name string, err error) (Have, error) {
	switch {
	case err == nil:
		return Yes, nil
	case errors.Is(err, unix.EPERM):
		return Restricted, nil
	case errors.Is(err, unix.ENOENT):
		return No, nil
	}
	return Unknown, fmt.Errorf("probe congestion control %s: %w", name, err)
}
