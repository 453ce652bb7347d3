//go:build unix

package apply

import (
	"errors"
	"syscall"
)

// readOnly says that an error is a mount's.
func readOnly(err error) bool { return errors.Is(err, syscall.EROFS) }
