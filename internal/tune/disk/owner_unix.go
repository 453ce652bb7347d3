//go:build unix

package disk

import (
	"io/fs"
	"os"
	"syscall"
)

func owner(st fs.FileInfo) (uid, gid int) {
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid), int(s.Gid)
	}
	return os.Getuid(), os.Getgid()
}

// chown gives a file its owner, which only root may where it is another.
func chown(file *os.File, f File) error {
	if f.UID == os.Getuid() && f.GID == os.Getgid() {
		return nil
	}
	return file.Chown(f.UID, f.GID)
}

func lchown(name string, f File) error {
	if f.UID == os.Getuid() && f.GID == os.Getgid() {
		return nil
	}
	return os.Lchown(name, f.UID, f.GID)
}
