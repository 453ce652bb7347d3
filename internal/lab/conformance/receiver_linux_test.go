package conformance

import (
	"encoding/binary"
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// receiver reads many packets with one system call: recvmmsg(2).
type receiver struct {
	fd       int
	messages []message
	payloads [][minPayload]byte // the beginning is enough
	controls [][controlSize]byte
}

// message is a struct mmsghdr.
type message struct {
	header unix.Msghdr
	length uint32
	_      [4]byte
}

// controlSize holds a time of arrival.
const controlSize = 64

func newReceiver(fd int) *receiver {
	const atOnce = 128
	return &receiver{fd, make([]message, atOnce), make([][minPayload]byte, atOnce), make([][controlSize]byte, atOnce)}
}

// drain adds what has arrived to a journey.
func (r *receiver) drain(j *journey) error {
	for {
		n, err := r.read()
		if err == unix.EAGAIN {
			return nil
		}
		if err != nil {
			return fmt.Errorf("receive: %w", err)
		}
		for i := range n {
			at, err := arrival(r.controls[i][:r.messages[i].header.Controllen])
			if err != nil {
				return err
			}
			k := int(binary.BigEndian.Uint64(r.payloads[i][:]))
			j.flights[k].received = at
			j.order = append(j.order, k)
		}
	}
}

func (r *receiver) read() (int, error) {
	iovecs := make([]unix.Iovec, len(r.messages))
	for i := range r.messages {
		iovecs[i].Base = &r.payloads[i][0]
		iovecs[i].SetLen(minPayload)
		h := &r.messages[i].header
		h.Iov, h.Iovlen = &iovecs[i], 1
		h.Control = &r.controls[i][0]
		h.SetControllen(controlSize)
	}
	n, _, errno := unix.Syscall6(unix.SYS_RECVMMSG, uintptr(r.fd), uintptr(unsafe.Pointer(&r.messages[0])),
		uintptr(len(r.messages)), unix.MSG_DONTWAIT, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// arrival is the time that the kernel stamped on a packet.
func arrival(control []byte) (time.Duration, error) {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return 0, fmt.Errorf("read a time of arrival: %w", err)
	}
	for _, m := range messages {
		if m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SCM_TIMESTAMPNS {
			t := (*unix.Timespec)(unsafe.Pointer(&m.Data[0]))
			return time.Duration(t.Nano()), nil
		}
	}
	return 0, fmt.Errorf("a packet without its time of arrival")
}
