package disk

import (
	"errors"
	"io/fs"
	"os"

	"unchoke/internal/state"
)

// OS is this host's own disk.
type OS struct{}

// Look is lstat(2).
func (OS) Look(name string) (File, error) {
	st, err := os.Lstat(name)
	if err != nil {
		return File{}, err
	}
	f := File{Type: st.Mode().Type(), Mode: st.Mode() &^ fs.ModeType}
	f.UID, f.GID = owner(st)
	if f.Type == fs.ModeSymlink {
		f.Target, err = os.Readlink(name)
	}
	return f, err
}

// Read reads a whole file.
func (OS) Read(name string) ([]byte, error) { return os.ReadFile(name) }

// List gives the names in a directory, sorted.
func (OS) List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// Create makes a new file.
func (OS) Create(name string, f File, content []byte, like string) error {
	const private = 0o600 // until its owner is set
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, private)
	if err != nil {
		return err
	}
	err = errors.Join(
		chown(file, f),
		file.Chmod(f.Mode), // after the owner, whose change takes set-id bits away
		copyAttributes(file, like),
	)
	if err == nil {
		_, err = file.Write(content)
	}
	return errors.Join(err, file.Close())
}

// Link makes a symbolic link.
func (OS) Link(name string, f File) error {
	if err := os.Symlink(f.Target, name); err != nil {
		return err
	}
	return lchown(name, f)
}

// Mkdir makes a directory.
func (OS) Mkdir(name string, f File) error {
	if err := os.Mkdir(name, f.Mode); err != nil {
		return err
	}
	if err := lchown(name, f); err != nil {
		return err
	}
	return os.Chmod(name, f.Mode) // whatever the umask
}

// Append writes at a file's end, and makes the file where there is none.
func (OS) Append(name string, content []byte) error {
	const private = 0o600
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, private)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

// Truncate cuts a file to a size.
func (OS) Truncate(name string, size int64) error { return os.Truncate(name, size) }

// Sync is fsync(2).
func (OS) Sync(name string) error { return state.Sync(name) }

// Rename puts a file in the place of another.
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Remove takes a file, a link or an empty directory away.
func (OS) Remove(name string) error { return os.Remove(name) }
