//go:build unix

package fetch

import "golang.org/x/sys/unix"

func setSegments(fd uintptr, mss int) error {
	return unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_MAXSEG, mss)
}
