package tunnel

import (
	"errors"

	"golang.org/x/sys/windows"
)

// refused says whether nobody listens on a socket.
func refused(err error) bool { return errors.Is(err, windows.WSAECONNREFUSED) }
