package link

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/windows"
)

// Set sets the options on a socket of the network, "tcp4", "udp6" and the like, as
// far as Windows allows; the rest comes back as warnings.
func (o Options) Set(network string, c syscall.RawConn) (warnings []string, err error) {
	if o.Window > 0 {
		ctl := c.Control(func(fd uintptr) {
			err = errors.Join(
				windows.SetsockoptInt(windows.Handle(fd), windows.SOL_SOCKET, windows.SO_SNDBUF, o.Window),
				windows.SetsockoptInt(windows.Handle(fd), windows.SOL_SOCKET, windows.SO_RCVBUF, o.Window))
		})
		if err := errors.Join(ctl, err); err != nil {
			return nil, fmt.Errorf("set the socket buffers to %d: %w", o.Window, err)
		}
	}
	if o.MSS > 0 && !isUDP(network) {
		warnings = append(warnings, "the MSS is unchanged: on Windows a program cannot set it")
	}
	if o.TOS > 0 {
		warnings = append(warnings, "the type of service is unchanged: on Windows a program cannot set it")
	}
	if o.Congestion != "" && !isUDP(network) && o.Sending {
		return nil, fmt.Errorf("set the congestion control to %s: %w", o.Congestion, ErrCongestion)
	}
	return warnings, nil
}
