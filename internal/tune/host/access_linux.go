package host

import "golang.org/x/sys/unix"

// writableDir asks the kernel, which knows of read-only mounts as well.
func writableDir(dir string) error {
	return unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK, unix.AT_EACCESS)
}
