package sysctl

import (
	"fmt"
	"io/fs"
	"os"

	"unchoke/internal/linux/sysctlkey"
)

// proc is where this kernel's tree is for writing; an fs.FS is for reading.
const proc = "/proc/sys/"

// Set gives a key of this kernel another value, in the calling thread's
// network namespace where the key belongs to one. The kernel may store
// something else than what it was given, and does not always say so: read it
// back.
func Set(key, value string) error {
	f, err := open(key)
	if err != nil {
		return fmt.Errorf("set sysctl %s to %q: %w", key, value, err)
	}
	_, err = f.WriteString(value + "\n")
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("set sysctl %s to %q: %w", key, value, cause(err))
	}
	return nil
}

// Settable returns nil where this process may set the key. It changes nothing.
func Settable(key string) error {
	f, err := open(key)
	if err != nil {
		return fmt.Errorf("open sysctl %s to set it: %w", key, err)
	}
	return f.Close()
}

func open(key string) (*os.File, error) {
	path := sysctlkey.Path(key)
	if !fs.ValidPath(path) {
		return nil, fs.ErrInvalid
	}
	f, err := os.OpenFile(proc+path, os.O_WRONLY, 0)
	if err != nil {
		return nil, cause(err)
	}
	return f, nil
}

// cause is err without the file's name, which the key tells already.
func cause(err error) error {
	if p, ok := err.(*fs.PathError); ok {
		return p.Err
	}
	return err
}
