//go:build linux || darwin

package disk

import (
	"errors"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Free is the room that this user has in a directory, or where it would be made,
// in bytes; nil where the system does not tell.
func Free(dir string) *int64 {
	for {
		var s unix.Statfs_t
		err := unix.Statfs(dir, &s)
		if err == nil {
			free := int64(s.Bavail) * int64(s.Bsize)
			return &free
		}
		if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return nil
		}
		dir = filepath.Dir(dir)
	}
}
