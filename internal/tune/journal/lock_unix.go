//go:build unix

package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"unchoke/internal/tune/disk"
)

// Lock keeps every other run of this program from the journal in dir until
// unlock, or until this process ends, however it does. It waits for the one
// that holds it until ctx is done; one that is done already means not at all.
func Lock(ctx context.Context, dir string) (unlock func(), err error) {
	if err := trusted(disk.OS{}, dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return nil, fmt.Errorf("make the journal's directory: %w", err)
	}
	name := filepath.Join(dir, "lock")
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0o600)
	if errors.Is(err, unix.EROFS) {
		// It may have become so since: what can be taken back is, all the same.
		f, err = os.OpenFile(name, os.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("lock the journal: %w", err)
	}
	const pause = 50 * time.Millisecond
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) {
			f.Close()
			return nil, fmt.Errorf("lock the journal in %s: %w", dir, err)
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ErrBusy
		case <-time.After(pause):
		}
	}
}
