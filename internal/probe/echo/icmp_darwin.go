package echo

import (
	"encoding/binary"
	"net/netip"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The receive timestamp: a struct timeval, in microseconds.
const (
	stampOption  = unix.SO_TIMESTAMP
	stampMessage = unix.SCM_TIMESTAMP
	stampSize    = int(unsafe.Sizeof(unix.Timeval{}))
)

func decodeStamp(b []byte) (time.Time, bool) {
	if len(b) != 16 {
		return time.Time{}, false
	}
	sec := int64(binary.NativeEndian.Uint64(b))
	usec := int64(binary.NativeEndian.Uint32(b[8:]))
	return time.Unix(sec, usec*1000), true
}

// filterReplies has no counterpart for ICMPv4 here; the series' token sorts the
// replies out.
func filterReplies(int, netip.Addr) {}
