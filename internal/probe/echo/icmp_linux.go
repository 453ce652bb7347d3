package echo

import (
	"encoding/binary"
	"net/netip"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The receive timestamp: a struct timespec of the architecture's own size.
const (
	stampOption  = unix.SO_TIMESTAMPNS
	stampMessage = unix.SO_TIMESTAMPNS // SCM_TIMESTAMPNS
	stampSize    = int(unsafe.Sizeof(unix.Timespec{}))
)

func decodeStamp(b []byte) (time.Time, bool) {
	switch len(b) {
	case 16:
		return time.Unix(int64(binary.NativeEndian.Uint64(b)), int64(binary.NativeEndian.Uint64(b[8:]))), true
	case 8:
		return time.Unix(int64(binary.NativeEndian.Uint32(b)), int64(binary.NativeEndian.Uint32(b[4:]))), true
	}
	return time.Time{}, false
}

// filterReplies spares a raw socket all ICMP but echo replies. Without it the
// series still works, so a failure is no matter.
func filterReplies(fd int, addr netip.Addr) {
	if addr.Is4() {
		// ICMP_FILTER (1) is a mask of the types to drop, linux/icmp.h.
		_ = unix.SetsockoptInt(fd, unix.SOL_RAW, 1, ^(1 << reply4))
		return
	}
	// A set bit blocks its type, RFC 3542 §3.2 and linux/icmpv6.h.
	var f unix.ICMPv6Filter
	for i := range f.Data {
		f.Data[i] = ^uint32(0)
	}
	f.Data[reply6>>5] &^= 1 << (reply6 & 31)
	_ = unix.SetsockoptICMPv6Filter(fd, unix.IPPROTO_ICMPV6, unix.ICMPV6_FILTER, &f)
}
