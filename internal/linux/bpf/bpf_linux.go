// Package bpf is the door to bpf(2): a command with its part of union bpf_attr.
package bpf

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Call gives the kernel a command, again where a signal came in between. An error
// is the kernel's number.
func Call[T any](command uintptr, attr *T) (int, error) {
	for {
		n, _, errno := unix.Syscall(unix.SYS_BPF, command, uintptr(unsafe.Pointer(attr)), unsafe.Sizeof(*attr))
		switch errno {
		case 0:
			return int(n), nil
		case unix.EINTR, unix.EAGAIN:
			continue
		}
		return -1, errno
	}
}

// Address is where a value lies, as bpf(2) takes it. The value is pinned: a
// number does not keep it, nor does it follow where a goroutine's stack moves.
func Address[T any](pins *runtime.Pinner, value *T) uint64 {
	pins.Pin(value)
	return uint64(uintptr(unsafe.Pointer(value)))
}
