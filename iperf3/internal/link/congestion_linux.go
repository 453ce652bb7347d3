package link

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// setCongestion fails with ErrCongestion where the kernel has no such
// algorithm (ENOENT) or not for this user (EPERM).
func setCongestion(fd int, name string) error {
	err := unix.SetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, name)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EPERM) {
		return fmt.Errorf("set the congestion control to %s: %w (%w)", name, ErrCongestion, err)
	}
	if err != nil {
		return fmt.Errorf("set the congestion control to %s: %w", name, err)
	}
	return nil
}
