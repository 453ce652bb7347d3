package disk

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A file keeps its label through a change of its content.
func TestAttributesStay(t *testing.T) {
	name := filepath.Join(t.TempDir(), "labelled")
	own := File{Mode: 0o644, UID: os.Getuid(), GID: os.Getgid()}
	if err := Replace(OS{}, name, own, []byte("old")); err != nil {
		t.Fatal(err)
	}
	const label = "user.label"
	err := unix.Lsetxattr(name, label, []byte("etc_t"), 0)
	if errors.Is(err, unix.ENOTSUP) {
		t.Skip("this file system has no extended attributes")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := Replace(OS{}, name, own, []byte("new")); err != nil {
		t.Fatal(err)
	}
	value := make([]byte, 16)
	n, err := unix.Lgetxattr(name, label, value)
	if err != nil || string(value[:n]) != "etc_t" {
		t.Errorf("%q, %v", value[:n], err)
	}
}
