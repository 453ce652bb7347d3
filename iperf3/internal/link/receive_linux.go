package link

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// receiveBatch is how many datagrams recvmmsg takes at once.
	receiveBatch = 64
	// groBuffers of 64 KiB each receive aggregated datagrams.
	groBuffers = 8
	// nap is how long a receiver leaves fast datagrams in the socket, whose
	// stamps keep the time: of 50,000 a second, 50 gather in a buffer that by
	// default holds 90.
	nap = time.Millisecond
	// headerSpace is what is copied of a datagram that is not aggregated.
	headerSpace = 64
)

// prepareReceiver sets what must be set long before data flows: the kernel begins
// to stamp packets some milliseconds after the first socket asked for it.
func (o Options) prepareReceiver(fd int) {
	if o.Window == 0 {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, udpReceiveBuffer) // the kernel gives what it allows
	}
	if o.Stamps {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1) // else the time of the call
	}
}

// udpReceiveBuffer holds 20 ms of 1 Gbit/s, with the kernel's own use of it.
const udpReceiveBuffer = 4 << 20

// inbox is where one message is received.
type inbox struct {
	iov     unix.Iovec
	data    []byte
	control [64]byte
}

func (l *rawUDP) Receive(got func([]byte, int, time.Time)) error {
	if l.in == nil {
		l.prepare()
	}
	if l.hurry {
		if l.rest == nil {
			l.rest = NewSleeper()
		}
		l.rest.Sleep(nap)
	}
	for i := range l.in {
		l.inMsgs[i].hdr.SetControllen(len(l.in[i].control))
	}
	n, _, errno := unix.Syscall6(unix.SYS_RECVMMSG, uintptr(l.fd), uintptr(unsafe.Pointer(&l.inMsgs[0])), uintptr(len(l.inMsgs)),
		uintptr(unix.MSG_WAITFORONE|unix.MSG_TRUNC), 0, 0)
	switch {
	case l.done.Load():
		return io.EOF
	case errno == unix.EAGAIN, errno == unix.EINTR, errno == unix.ECONNREFUSED:
		return nil
	case errno != 0:
		return fmt.Errorf("receive datagrams: %w", errno)
	}
	now := time.Now()
	l.hurry = l.stamps && now.Sub(l.last) < 2*nap
	l.last = now
	for i := range int(n) {
		m, box := &l.inMsgs[i], &l.in[i]
		size := int(m.n)
		segment, stamp := parseControl(box.control[:min(len(box.control), int(m.hdr.Controllen))])
		at := now
		if !stamp.IsZero() {
			at = now.Add(stamp.Sub(now)) // by the wall clock: a stamp has no other
		}
		if segment == 0 || segment >= size {
			got(box.data[:min(size, len(box.data))], size, at)
			continue
		}
		for p := box.data[:min(size, len(box.data))]; len(p) > 0; p = p[min(segment, len(p)):] {
			got(p[:min(segment, len(p))], min(segment, len(p)), at)
		}
	}
	return nil
}

func (l *rawUDP) prepare() {
	count, space := receiveBatch, headerSpace
	if l.gro {
		count, space = groBuffers, 1<<16
	}
	l.in, l.inMsgs = make([]inbox, count), make([]mmsg, count)
	for i := range l.in {
		box, h := &l.in[i], &l.inMsgs[i].hdr
		box.data = make([]byte, space)
		box.iov.Base = &box.data[0]
		box.iov.SetLen(space)
		h.Iov = &box.iov
		h.SetIovlen(1)
		h.Control = &box.control[0]
	}
}

// parseControl finds the size of the segments of an aggregated datagram and
// the kernel's time stamp, either of which may be missing.
func parseControl(b []byte) (segment int, stamp time.Time) {
	for len(b) >= unix.SizeofCmsghdr {
		h, data, rest, err := unix.ParseOneSocketControlMessage(b)
		if err != nil {
			return segment, stamp
		}
		switch {
		case h.Level == unix.IPPROTO_UDP && h.Type == unix.UDP_GRO && len(data) >= 4:
			segment = int(int32(binary.NativeEndian.Uint32(data)))
		case h.Level == unix.SOL_SOCKET && h.Type == unix.SO_TIMESTAMPNS && len(data) >= int(unsafe.Sizeof(unix.Timespec{})):
			stamp = time.Unix((*unix.Timespec)(unsafe.Pointer(&data[0])).Unix())
		}
		b = rest
	}
	return segment, stamp
}
