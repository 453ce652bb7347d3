package sockdiag

import (
	"encoding/binary"
	"syscall"

	"golang.org/x/sys/unix"
)

// message is one of a netlink socket's.
type message struct {
	kind, flags uint16
	sequence    uint32
	body        []byte
}

// next splits the first message off what was read.
func next(b []byte) (m message, rest []byte, err error) {
	if len(b) < unix.NLMSG_HDRLEN {
		return m, nil, errShort
	}
	n := int64(binary.NativeEndian.Uint32(b))
	if n < unix.NLMSG_HDRLEN || n > int64(len(b)) {
		return m, nil, errShort
	}
	m = message{
		kind: binary.NativeEndian.Uint16(b[4:]), flags: binary.NativeEndian.Uint16(b[6:]),
		sequence: binary.NativeEndian.Uint32(b[8:]), body: b[unix.NLMSG_HDRLEN:n],
	}
	return m, b[min(aligned(int(n)), len(b)):], nil
}

// failure is the error that NLMSG_ERROR and NLMSG_DONE carry: a negative errno.
func (m message) failure() error {
	if len(m.body) < 4 {
		if m.kind == unix.NLMSG_DONE {
			return nil
		}
		return errShort
	}
	if code := int32(binary.NativeEndian.Uint32(m.body)); code < 0 {
		return syscall.Errno(-code)
	}
	return nil
}
