//go:build unix

package link

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Set sets the options on a socket of the network, "tcp4", "udp6" and the like,
// before it is connected. What the system grants only in part comes back as a
// warning.
func (o Options) Set(network string, c syscall.RawConn) (warnings []string, err error) {
	ctl := c.Control(func(fd uintptr) { warnings, err = o.setFD(network, int(fd)) })
	return warnings, errors.Join(ctl, err)
}

func (o Options) setFD(network string, fd int) (warnings []string, err error) {
	for _, option := range []struct {
		name  string
		value int
	}{{"SO_SNDBUF", unix.SO_SNDBUF}, {"SO_RCVBUF", unix.SO_RCVBUF}} {
		if o.Window == 0 {
			break
		}
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, option.value, o.Window); err != nil {
			return nil, fmt.Errorf("set %s to %d: %w", option.name, o.Window, err)
		}
		if got, err := granted(fd, option.value); err == nil && got < o.Window {
			warnings = append(warnings, fmt.Sprintf("%s is %d bytes: the system did not grant %d", option.name, got, o.Window))
		}
	}
	if o.MSS > 0 && !isUDP(network) {
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_MAXSEG, o.MSS); err != nil {
			return nil, fmt.Errorf("set TCP_MAXSEG to %d: %w", o.MSS, err)
		}
	}
	if o.TOS > 0 {
		level, option := unix.IPPROTO_IP, unix.IP_TOS
		if strings.HasSuffix(network, "6") {
			level, option = unix.IPPROTO_IPV6, unix.IPV6_TCLASS
		}
		if err := unix.SetsockoptInt(fd, level, option, o.TOS); err != nil {
			return nil, fmt.Errorf("set the type of service to %d: %w", o.TOS, err)
		}
	}
	if o.Congestion != "" && !isUDP(network) && o.Sending {
		if err := setCongestion(fd, o.Congestion); err != nil {
			return nil, err
		}
	}
	if isUDP(network) && !o.Sending {
		o.prepareReceiver(fd)
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
