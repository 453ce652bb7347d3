//go:build unix

package audit

import "golang.org/x/sys/unix"

// kernelRelease is what uname -r prints.
func kernelRelease() (string, error) {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return "", err
	}
	return unix.ByteSliceToString(u.Release[:]), nil
}
