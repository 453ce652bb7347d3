//go:build unix

package tunnel

import (
	"errors"

	"golang.org/x/sys/unix"
)

// refused says whether nobody listens on a socket.
func refused(err error) bool { return errors.Is(err, unix.ECONNREFUSED) }
