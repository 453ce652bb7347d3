package disk

import (
	"bytes"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// copyAttributes gives file the extended attributes of the file like: its
// SELinux label, its ACL. A file that is new gets what the directory and the
// policy give it.
func copyAttributes(file *os.File, like string) error {
	names, err := attributes(like)
	if err != nil || len(names) == 0 {
		return err
	}
	for _, name := range names {
		value := make([]byte, 64<<10) // XATTR_SIZE_MAX
		n, err := unix.Lgetxattr(like, name, value)
		if errors.Is(err, unix.ENODATA) {
			continue // gone since
		}
		if err == nil {
			err = unix.Fsetxattr(int(file.Fd()), name, value[:n], 0)
		}
		if err != nil {
			return &os.PathError{Op: "copy extended attribute " + name, Path: like, Err: err}
		}
	}
	return nil
}

func attributes(name string) ([]string, error) {
	list := make([]byte, 64<<10) // XATTR_LIST_MAX
	n, err := unix.Llistxattr(name, list)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTSUP) {
		return nil, nil
	}
	if err != nil {
		return nil, &os.PathError{Op: "list extended attributes", Path: name, Err: err}
	}
	var names []string
	for field := range bytes.SplitSeq(list[:n], []byte{0}) {
		if len(field) > 0 {
			names = append(names, string(field))
		}
	}
	return names, nil
}
