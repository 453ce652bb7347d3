//go:build unix

package store

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// ErrLocked means that another process writes here.
var ErrLocked = errors.New("another run writes here")

// lockFile takes a lock that ends with the process.
func lockFile(name string) (io.Closer, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrLocked
		}
		return nil, err
	}
	return f, nil
}
