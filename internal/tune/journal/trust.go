package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"unchoke/internal/tune/disk"
)

// UntrustedError is a directory or a file of the journal that others may write
// to: what it tells to restore could be anybody's.
type UntrustedError struct {
	Name string
	Why  string
}

func (e *UntrustedError) Error() string {
	return fmt.Sprintf("use the journal: %s %s, so that others may write to it", e.Name, e.Why)
}

// Hint is the next step.
func (e *UntrustedError) Hint() string {
	return "keep the journal where only root may write: /var/lib/unchoke/tune is the default of --state; look at what is in there before you move it"
}

// trusted returns nil where nobody but root and this user can have written the
// journal: neither its files, nor its directory, nor by renaming one above it.
func trusted(d disk.Disk, dir string) error { return Trusted(d, dir, current, previous, "lock") }

// Trusted is the same of other files in a directory.
func Trusted(d disk.Disk, dir string, files ...string) error {
	for _, name := range files {
		if err := private(d, filepath.Join(dir, name), 0); err != nil {
			return err
		}
	}
	// In a directory with the sticky bit, as /tmp, nobody renames another's file.
	sticky := fs.FileMode(0)
	for name := filepath.Clean(dir); ; name = filepath.Dir(name) {
		if err := private(d, name, sticky); err != nil {
			return err
		}
		if name == filepath.Dir(name) {
			return nil
		}
		sticky = fs.ModeSticky
	}
}

// private returns nil where a name is not there, or only root and this user may
// write to it. A bit of spare excuses the group and the others.
func private(d disk.Disk, name string, spare fs.FileMode) error {
	f, err := d.Look(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look at %s: %w", name, err)
	case f.UID != 0 && f.UID != os.Geteuid():
		return &UntrustedError{name, fmt.Sprintf("belongs to user %d", f.UID)}
	case f.Type == fs.ModeSymlink:
		return followed(d, name, f.Target)
	case f.Mode.Perm()&0o022 != 0 && f.Mode&spare == 0:
		return &UntrustedError{name, fmt.Sprintf("has mode %#o", f.Mode.Perm())}
	}
	return nil
}

// followed looks at where a link leads. The journal's own files are no links.
func followed(d disk.Disk, name, target string) error {
	switch filepath.Base(name) {
	case current, previous, Live, "lock":
		return &UntrustedError{name, "is a link"}
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(name), target)
	}
	for at := filepath.Clean(target); ; at = filepath.Dir(at) {
		if f, err := d.Look(at); err == nil && f.Type == fs.ModeSymlink && at == filepath.Clean(target) {
			return &UntrustedError{name, "is a link to a link"}
		}
		if err := private(d, at, fs.ModeSticky); err != nil {
			return err
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}
