package traffic

import (
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ring is an io_uring of one thread. A guest's system call costs a User-Mode
// Linux machine several of the host's and as many context switches; steps that
// are linked in a ring run one after the other inside the kernel, and the
// program wakes when the last is done.
type ring struct {
	fd      int
	memory  []byte // both queues
	entries []byte
	sqTail  *uint32
	sqMask  uint32
	sqes    []sqe
	cqHead  *uint32
	cqTail  *uint32
	cqMask  uint32
	cqes    []cqe
	unsent  uint32 // added and not handed over yet
	arg     ringArg
	limit   timespec
}

// sqe is a struct io_uring_sqe (linux/io_uring.h).
type sqe struct {
	opcode  uint8
	flags   uint8
	ioprio  uint16
	fd      int32
	off     uint64
	addr    uint64
	len     uint32
	opFlags uint32
	user    uint64
	_       [3]uint64
}

// cqe is a struct io_uring_cqe.
type cqe struct {
	user  uint64
	res   int32
	flags uint32
}

// What of linux/io_uring.h is used here.
const (
	opTimeout = 11
	opRead    = 22
	opSend    = 26
	opRecv    = 27

	sqeLink    = 1 << 2 // the next entry waits for this one
	sqeSilent  = 1 << 6 // IOSQE_CQE_SKIP_SUCCESS: only a failure completes
	pollFirst  = 1 << 0 // IORING_RECVSEND_POLL_FIRST, in ioprio
	timeoutAbs = 1 << 0
	timeoutOK  = 1 << 5 // IORING_TIMEOUT_ETIME_SUCCESS: to expire is no failure

	setupCQSize       = 1 << 3
	setupSingleIssuer = 1 << 12
	setupDeferTaskrun = 1 << 13

	enterGetEvents = 1 << 0
	enterExtArg    = 1 << 3

	offSQRing = 0
	offSQEs   = 0x10000000
)

// ringParams is a struct io_uring_params.
type ringParams struct {
	sqEntries, cqEntries, flags, sqThreadCPU, sqThreadIdle, features, wqFD uint32
	_                                                                      [3]uint32
	sq                                                                     struct {
		head, tail, ringMask, ringEntries, flags, dropped, array, _ uint32
		_                                                           uint64
	}
	cq struct {
		head, tail, ringMask, ringEntries, overflow, cqes, flags, _ uint32
		_                                                           uint64
	}
}

// newRing makes a ring of the calling thread, which alone may use it.
func newRing(size uint32) (*ring, error) {
	p := ringParams{flags: setupSingleIssuer | setupDeferTaskrun | setupCQSize, cqEntries: 2 * size}
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, uintptr(size), uintptr(unsafe.Pointer(&p)), 0)
	if errno != 0 {
		return nil, fmt.Errorf("set an io_uring up: %w", errno)
	}
	r := &ring{fd: int(fd)}
	// Both queues are in one mapping since Linux 5.4.
	length := max(p.sq.array+4*p.sqEntries, p.cq.cqes+uint32(unsafe.Sizeof(cqe{}))*p.cqEntries)
	var err error
	if r.memory, err = unix.Mmap(r.fd, offSQRing, int(length), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE); err != nil {
		r.close()
		return nil, fmt.Errorf("map an io_uring: %w", err)
	}
	if r.entries, err = unix.Mmap(r.fd, offSQEs, int(p.sqEntries)*int(unsafe.Sizeof(sqe{})), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE); err != nil {
		r.close()
		return nil, fmt.Errorf("map an io_uring: %w", err)
	}
	word := func(off uint32) *uint32 { return (*uint32)(unsafe.Pointer(&r.memory[off])) }
	r.sqTail, r.sqMask = word(p.sq.tail), *word(p.sq.ringMask)
	r.sqes = unsafe.Slice((*sqe)(unsafe.Pointer(&r.entries[0])), p.sqEntries)
	for i := range p.sqEntries {
		*word(p.sq.array + 4*i) = i
	}
	r.cqHead, r.cqTail, r.cqMask = word(p.cq.head), word(p.cq.tail), *word(p.cq.ringMask)
	r.cqes = unsafe.Slice((*cqe)(unsafe.Pointer(&r.memory[p.cq.cqes])), p.cqEntries)
	return r, nil
}

func (r *ring) close() {
	if r.entries != nil {
		_ = unix.Munmap(r.entries) // nothing is left to do for what fails here
	}
	if r.memory != nil {
		_ = unix.Munmap(r.memory)
	}
	unix.Close(r.fd)
}

// add puts a step behind the others. The caller keeps within the ring's size.
func (r *ring) add(e sqe) {
	tail := *r.sqTail + r.unsent
	r.sqes[tail&r.sqMask] = e
	r.unsent++
}

// wait hands over what was added and waits until so many completions are
// there, or for as long as the limit says; 0 is no limit.
func (r *ring) wait(completions int, limit time.Duration) error {
	atomic.StoreUint32(r.sqTail, *r.sqTail+r.unsent)
	flags, arg, size := uintptr(enterGetEvents), uintptr(0), uintptr(0)
	if limit > 0 {
		r.limit = timespecOf(limit)
		r.arg = ringArg{limit: pointer(&r.limit)}
		flags, arg, size = flags|enterExtArg, uintptr(unsafe.Pointer(&r.arg)), unsafe.Sizeof(r.arg)
	}
	for {
		n, _, errno := unix.Syscall6(unix.SYS_IO_URING_ENTER, uintptr(r.fd), uintptr(r.unsent), uintptr(completions), flags, arg, size)
		switch {
		case errno == unix.ETIME:
			return nil
		case errno == unix.EINTR:
			continue
		case errno != 0:
			return fmt.Errorf("enter an io_uring: %w", errno)
		}
		r.unsent -= uint32(n)
		if r.unsent > 0 {
			continue
		}
		// Where completions are there, if too few, a limit that passed is no
		// error.
		if limit > 0 || r.ready() >= completions {
			return nil
		}
	}
}

// ready is how many completions can be taken.
func (r *ring) ready() int { return int(atomic.LoadUint32(r.cqTail) - *r.cqHead) }

// take returns the oldest completion, which is there.
func (r *ring) take() cqe {
	head := *r.cqHead
	c := r.cqes[head&r.cqMask]
	atomic.StoreUint32(r.cqHead, head+1)
	return c
}

// ringArg is a struct io_uring_getevents_arg.
type ringArg struct {
	sigmask uint64
	_       [2]uint32 // sigmask_sz, min_wait_usec
	limit   uint64
}

// timespec is a struct __kernel_timespec, of 64 bits on every platform.
type timespec struct{ sec, nsec int64 }

func timespecOf(d time.Duration) timespec {
	return timespec{int64(d / time.Second), int64(d % time.Second)}
}
