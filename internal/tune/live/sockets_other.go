//go:build !linux

package live

import (
	"errors"
	"fmt"
)

var errNone = fmt.Errorf("change connections that are open: %w", errors.ErrUnsupported)

// Sockets are none here.
type Sockets struct{}

// Find returns errors.ErrUnsupported.
func (*Sockets) Find([]uint64) error { return errNone }

// Algorithms returns errors.ErrUnsupported.
func Algorithms([]uint64) (map[uint64]string, error) { return nil, errNone }

// Borrow returns errors.ErrUnsupported.
func (*Sockets) Borrow(uint64) (Socket, error) { return nil, errNone }

// Able says that only Linux hosts can be changed.
func Able() error {
	return &UnableError{"this system cannot lend a process's sockets", "only Linux hosts can be tuned"}
}
