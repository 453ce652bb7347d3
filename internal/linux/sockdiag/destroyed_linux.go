package sockdiag

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Groups of linux/sock_diag.h.
const (
	tcpDestroyed  = 1 // SKNLGRP_INET_TCP_DESTROY
	tcp6Destroyed = 3 // SKNLGRP_INET6_TCP_DESTROY
)

// MessageSpace is enough for one message about a socket that has ended, also
// of a kernel whose struct tcp_info is twice as long as today's.
const MessageSpace = 1024

// Ends tells of every TCP socket that ends in a network namespace, with its
// last TCP_INFO: connections, and also sockets that never became any. The kernel
// tells neither its congestion control, nor its user, nor its control group.
type Ends struct {
	file *os.File
	raw  syscall.RawConn
}

// Listen listens in the calling thread's network namespace. The messages wait
// in a buffer of so many bytes, or of as many as the host allows (Buffer).
func Listen(buffer int) (*Ends, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_INET_DIAG)
	if err != nil {
		return nil, fmt.Errorf("listen for the ends of connections: %w", err)
	}
	file := os.NewFile(uintptr(fd), "sock_diag")
	raw, err := file.SyscallConn()
	if err == nil {
		err = enlarge(fd, buffer)
	}
	if err == nil {
		err = unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK})
	}
	for _, group := range []int{tcpDestroyed, tcp6Destroyed} {
		if err == nil {
			err = unix.SetsockoptInt(fd, unix.SOL_NETLINK, unix.NETLINK_ADD_MEMBERSHIP, group)
		}
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("listen for the ends of connections: %w", err)
	}
	return &Ends{file, raw}, nil
}

// enlarge sets a receive buffer, beyond net.core.rmem_max where this process
// may (CAP_NET_ADMIN).
func enlarge(fd, bytes int) error {
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, bytes) == nil {
		return nil
	}
	return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, bytes)
}

// Read waits for one message and reads it. os.ErrClosed: it was closed.
// ENOBUFS: some were lost; see Lost.
func (e *Ends) Read(b []byte) (n int, err error) { return e.file.Read(b) }

// Parse reads a message of Read's.
func (s *Socket) Parse(b []byte) error {
	m, _, err := next(b)
	if err != nil {
		return err
	}
	if m.kind != sockDiagByFamily {
		return fmt.Errorf("a message of kind %d, want %d", m.kind, sockDiagByFamily)
	}
	return s.parse(m.body)
}

// Lost is how many messages found the buffer full, since Listen.
func (e *Ends) Lost() (n int64, err error) {
	var words [9]uint32 // SK_MEMINFO_VARS
	err = e.memory(&words)
	return int64(words[DroppedDatagrams]), err
}

// Buffer is how much may wait, in bytes as the kernel counts them.
func (e *Ends) Buffer() (bytes int64, err error) {
	var words [9]uint32
	err = e.memory(&words)
	return int64(words[ReceiveBuffer]), err
}

func (e *Ends) memory(into *[9]uint32) error {
	var err error
	ctl := e.raw.Control(func(fd uintptr) {
		length := uint32(unsafe.Sizeof(*into))
		// x/sys/unix has no call for an option that is an array.
		if _, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, fd, unix.SOL_SOCKET, unix.SO_MEMINFO,
			uintptr(unsafe.Pointer(into)), uintptr(unsafe.Pointer(&length)), 0); errno != 0 {
			err = errno
		}
	})
	if ctl != nil {
		return ctl
	}
	if err != nil {
		return fmt.Errorf("read a socket's memory: %w", err)
	}
	return nil
}

// Close ends a Read that waits.
func (e *Ends) Close() error { return e.file.Close() }
