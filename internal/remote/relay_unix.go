//go:build unix && !slim

package remote

import "golang.org/x/sys/unix"

// relays says that this system bounds the segments of a connection.
const relays = true

func boundSegments(fd uintptr, bytes int) error {
	return unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_MAXSEG, bytes)
}
