package iperf3

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/windows"
)

// setSocket sets what a test asks of its data sockets as far as Windows
// allows; the rest comes back as warnings.
func setSocket(t *Test, _ string, c syscall.RawConn, sending bool) (warnings []string, err error) {
	if t.Window > 0 {
		ctl := c.Control(func(fd uintptr) {
			err = errors.Join(
				windows.SetsockoptInt(windows.Handle(fd), windows.SOL_SOCKET, windows.SO_SNDBUF, t.Window),
				windows.SetsockoptInt(windows.Handle(fd), windows.SOL_SOCKET, windows.SO_RCVBUF, t.Window))
		})
		if err := errors.Join(ctl, err); err != nil {
			return nil, fmt.Errorf("set the socket buffers to %d: %w", t.Window, err)
		}
	}
	if t.MSS > 0 && t.Protocol == TCP {
		warnings = append(warnings, "the MSS is unchanged: on Windows a program cannot set it")
	}
	if t.TOS > 0 {
		warnings = append(warnings, "the type of service is unchanged: on Windows a program cannot set it")
	}
	if t.Congestion != "" && t.Protocol == TCP && sending {
		return nil, fmt.Errorf("set the congestion control to %s: %w", t.Congestion, ErrCongestion)
	}
	return warnings, nil
}
