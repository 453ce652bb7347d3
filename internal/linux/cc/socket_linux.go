package cc

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/sysctl"
)

// Set gives a TCP socket a congestion control. Its error has a hint where the
// kernel does not have it.
func Set(fd int, name string) error {
	err := unix.SetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, name)
	if errors.Is(err, unix.ENOENT) {
		known, _ := Available(sysctl.Kernel) // a hint may be empty
		return &missingError{name, strings.Join(known, " ")}
	}
	if err != nil {
		return fmt.Errorf("set the congestion control %s: %w", name, err)
	}
	return nil
}

// missingError is a congestion control that the kernel does not have.
type missingError struct {
	name, available string
}

func (e *missingError) Error() string { return fmt.Sprintf("no congestion control %q", e.name) }

// Hint lists what there is.
func (e *missingError) Hint() string { return "this kernel has " + e.available }
