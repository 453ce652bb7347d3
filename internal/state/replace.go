package state

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// Replace writes a file that only its owner reads, and makes its directory. The
// file is the old one or the new one, whole, also where the host loses its power.
func Replace(name string, write func(io.Writer) error) error {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-*") // with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // of no effect once it has its own name
	defer f.Close()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return err
	}
	return SyncDir(dir)
}

// SyncDir waits until the names in a directory are on the disk: a file that was
// renamed may have its old name after a power loss until then.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // it has no such call for directories
	}
	return Sync(dir)
}

// Sync is fsync(2) of a file or a directory.
func Sync(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) {
		err = nil // a file system without it, as of a lab machine's hostfs
	}
	return errors.Join(err, f.Close())
}
