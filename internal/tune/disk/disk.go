// Package disk writes files so that a crash at any moment leaves the old file
// or the new one, and nothing between.
//
// The operations are those whose order a crash can expose, one system call
// each, so that a test can stop before any of them.
package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Disk is a file system. Names are absolute.
type Disk interface {
	// Look tells what a name is, without following a symbolic link:
	// fs.ErrNotExist where there is nothing.
	Look(name string) (File, error)
	Read(name string) ([]byte, error)
	List(dir string) ([]string, error)

	// Create makes a file that must not exist. Its extended attributes, the
	// SELinux label among them, are those of the file like, where there is one.
	Create(name string, f File, content []byte, like string) error
	Link(name string, f File) error // a symbolic link that must not exist
	Mkdir(name string, f File) error
	Append(name string, content []byte) error
	Truncate(name string, size int64) error
	Sync(name string) error // a file's content, or a directory's names
	Rename(from, to string) error
	Remove(name string) error // of a directory: an empty one
}

// File is what a name stands for, its content aside.
type File struct {
	Type     fs.FileMode // 0 is a regular file; fs.ModeDir, fs.ModeSymlink, …
	Mode     fs.FileMode // permissions
	UID, GID int
	Target   string // of a symbolic link
}

// tempPrefix and tempSuffix make a name that no reader of configuration
// takes: they want theirs to end in .conf.
const (
	tempPrefix = "."
	tempSuffix = ".unchoke-new"
)

// Temp is the name under which a file is written before it takes its place.
func Temp(name string) string {
	return filepath.Join(filepath.Dir(name), tempPrefix+filepath.Base(name)+tempSuffix)
}

// Replace makes name a file or a symbolic link with this content, and returns
// when it will be there after a crash.
func Replace(d Disk, name string, f File, content []byte) error {
	temp := Temp(name)
	err := Discard(d, name)
	if err != nil {
		return err
	}
	if f.Type == fs.ModeSymlink {
		err = d.Link(temp, f)
	} else if err = d.Create(temp, f, content, name); err == nil {
		err = d.Sync(temp)
	}
	if err != nil {
		_ = d.Remove(temp) // it may not exist
		return fmt.Errorf("write %s: %w", name, cause(err))
	}
	if err := d.Rename(temp, name); err != nil {
		_ = d.Remove(temp)
		return fmt.Errorf("write %s: %w", name, cause(err))
	}
	if err := d.Sync(filepath.Dir(name)); err != nil {
		return fmt.Errorf("write %s: %w", name, cause(err))
	}
	return nil
}

// Remove takes a name away for good. It is no error where there is none.
func Remove(d Disk, name string) error {
	err := d.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = d.Sync(filepath.Dir(name))
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", name, cause(err))
	}
	return nil
}

// Discard removes what a crash in Replace left.
// A disk that is read-only may have nothing of it.
func Discard(d Disk, name string) error {
	if _, err := d.Look(Temp(name)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return Remove(d, Temp(name))
}

// MkdirAll makes a directory and those above it, each there after a crash.
func MkdirAll(d Disk, dir string, mode fs.FileMode) error {
	f, err := d.Look(dir)
	switch {
	case err == nil && (f.Type == fs.ModeDir || f.Type == fs.ModeSymlink):
		return nil
	case err == nil:
		return fmt.Errorf("%s is not a directory", dir)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("look at %s: %w", dir, cause(err))
	}
	parent := filepath.Dir(dir)
	if err := MkdirAll(d, parent, mode); err != nil {
		return err
	}
	if err := d.Mkdir(dir, File{Type: fs.ModeDir, Mode: mode}); err != nil {
		return fmt.Errorf("make directory %s: %w", dir, cause(err))
	}
	if err := d.Sync(parent); err != nil {
		return fmt.Errorf("make directory %s: %w", dir, cause(err))
	}
	return nil
}

// cause is err without the name, which the message has already.
func cause(err error) error {
	if p, ok := err.(*fs.PathError); ok {
		return p.Err
	}
	return err
}
