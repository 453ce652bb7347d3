//go:build unix

package iperf3

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// setSocket sets what a test asks of its data sockets and must be set before
// they connect. sending tells whether this side sends on the socket. Whatever
// the system grants only in part comes back as a warning.
func setSocket(t *Test, network string, c syscall.RawConn, sending bool) (warnings []string, err error) {
	ctl := c.Control(func(fd uintptr) { warnings, err = setFD(t, network, int(fd), sending) })
	return warnings, errors.Join(ctl, err)
}

func setFD(t *Test, network string, fd int, sending bool) (warnings []string, err error) {
	for _, option := range []struct {
		name  string
		value int
	}{{"SO_SNDBUF", unix.SO_SNDBUF}, {"SO_RCVBUF", unix.SO_RCVBUF}} {
		if t.Window == 0 {
			break
		}
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, option.value, t.Window); err != nil {
			return nil, fmt.Errorf("set %s to %d: %w", option.name, t.Window, err)
		}
		if got, err := granted(fd, option.value); err == nil && got < t.Window {
			warnings = append(warnings, fmt.Sprintf("%s is %d bytes: the system did not grant %d", option.name, got, t.Window))
		}
	}
	if t.MSS > 0 && t.Protocol == TCP {
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_MAXSEG, t.MSS); err != nil {
			return nil, fmt.Errorf("set TCP_MAXSEG to %d: %w", t.MSS, err)
		}
	}
	if t.TOS > 0 {
		level, option := unix.IPPROTO_IP, unix.IP_TOS
		if strings.HasSuffix(network, "6") {
			level, option = unix.IPPROTO_IPV6, unix.IPV6_TCLASS
		}
		if err := unix.SetsockoptInt(fd, level, option, t.TOS); err != nil {
			return nil, fmt.Errorf("set the type of service to %d: %w", t.TOS, err)
		}
	}
	if t.Congestion != "" && t.Protocol == TCP && sending {
		if err := setCongestion(fd, t.Congestion); err != nil {
			return nil, err
		}
	}
	if t.Protocol == UDP {
		prepareUDP(t, fd, sending)
	}
	return warnings, nil
}

// granted is the size of a socket's buffer in the terms in which it is asked
// for. Linux gives and tells twice that, half of it for its own use
// (socket(7)).
func granted(fd, option int) (int, error) {
	size, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, option)
	if runtime.GOOS == "linux" || runtime.GOOS == "android" {
		size /= 2
	}
	return size, err
}
