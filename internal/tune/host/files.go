package host

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"unchoke/internal/tune"
	"unchoke/internal/tune/disk"
)

// files are what readers of configuration find at boot.
type files struct{ disk disk.Disk }

func (f files) read(name string) (*string, error) {
	look, err := f.disk.Look(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look at %s: %w", name, err)
	}
	v := tune.FileValue{Mode: look.Mode, UID: look.UID, GID: look.GID}
	switch look.Type {
	case 0:
		if v.Content, err = f.disk.Read(name); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
	case fs.ModeSymlink:
		v.Link, v.Mode = look.Target, 0
	case fs.ModeDir:
		v.Dir = true
	default:
		return nil, fmt.Errorf("read %s: it is neither a file, a link nor a directory", name)
	}
	return tune.Encode(v), nil
}

func (f files) write(name string, value *string) error {
	v, err := tune.Decode[tune.FileValue](value)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if v == nil {
		return errors.Join(disk.Discard(f.disk, name), disk.Remove(f.disk, name))
	}
	file := disk.File{Mode: v.Mode, UID: v.UID, GID: v.GID}
	switch {
	case v.Dir:
		return f.makeDir(name, file)
	case v.Link != "":
		file.Type, file.Target = fs.ModeSymlink, v.Link
	}
	return disk.Replace(f.disk, name, file, v.Content)
}

func (f files) makeDir(name string, file disk.File) error {
	file.Type = fs.ModeDir
	err := f.disk.Mkdir(name, file)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		err = f.disk.Sync(filepath.Dir(name))
	}
	if err != nil {
		return fmt.Errorf("make directory %s: %w", name, err)
	}
	return nil
}

func (f files) writable(name string) error {
	for dir := filepath.Dir(name); ; dir = filepath.Dir(dir) {
		_, err := f.disk.Look(dir)
		if errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir) {
			continue // it would be made
		}
		if err == nil {
			err = writableDir(dir)
		}
		if err != nil {
			return fmt.Errorf("write below %s: %w", dir, err)
		}
		return nil
	}
}
