package traffic

import (
	"fmt"
	"math/bits"
	"runtime"
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
	queues  []byte
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
	// pins hold what steps have the address of: a number does not follow where a
	// goroutine's stack moves.
	pins runtime.Pinner
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

// cqe is a struct io_uring_cqe of 32 bytes.
type cqe struct {
	user  uint64
	res   int32
	flags uint32
	at    uint64 // ns on the monotonic clock; see stampedCompletions of lab/kernel
	_     uint64
}

// What of linux/io_uring.h is used here.
const (
	opTimeout = 11
	opSend    = 26
	opRecv    = 27

	sqeLink    = 1 << 2 // the next entry waits for this one
	sqeSilent  = 1 << 6 // IOSQE_CQE_SKIP_SUCCESS: only a failure completes
	pollFirst  = 1 << 0 // IORING_RECVSEND_POLL_FIRST, in ioprio
	timeoutAbs = 1 << 0
	timeoutOK  = 1 << 5 // IORING_TIMEOUT_ETIME_SUCCESS: to expire is no failure

	setupCQSize       = 1 << 3
	setupCQE32        = 1 << 11
	setupNoMmap       = 1 << 14 // the queues are in memory of ours
	setupNoArray      = 1 << 16 // the submission queue is the entries, in their order
	setupSingleIssuer = 1 << 12
	setupDeferTaskrun = 1 << 13

	enterGetEvents = 1 << 0
	enterExtArg    = 1 << 3
)

// ringParams is a struct io_uring_params.
type ringParams struct {
	sqEntries, cqEntries, flags, sqThreadCPU, sqThreadIdle, features, wqFD uint32
	_                                                                      [3]uint32
	sq                                                                     struct {
		head, tail, ringMask, ringEntries, flags, dropped, array, _ uint32
		memory                                                      uint64
	}
	cq struct {
		head, tail, ringMask, ringEntries, overflow, cqes, flags, _ uint32
		memory                                                      uint64
	}
}

// newRing makes a ring of the calling thread, which alone may use it.
func newRing(size uint32) (_ *ring, err error) {
	// The kernel rounds sizes up to powers of two.
	entries := uint32(1) << bits.Len32(size-1)
	completions := 2 * entries
	const head = 4096 // room for struct io_rings, whatever the kernel's version
	r := &ring{fd: -1}
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	if r.queues, err = memory(head + int(completions)*int(unsafe.Sizeof(cqe{}))); err != nil {
		return nil, err
	}
	if r.entries, err = memory(int(entries) * int(unsafe.Sizeof(sqe{}))); err != nil {
		return nil, err
	}
	clear(r.queues[:head]) // another ring's
	p := ringParams{flags: setupSingleIssuer | setupDeferTaskrun | setupCQSize | setupCQE32 | setupNoMmap | setupNoArray, cqEntries: completions}
	p.cq.memory, p.sq.memory = pointer(&r.queues[0]), pointer(&r.entries[0])
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, uintptr(entries), uintptr(unsafe.Pointer(&p)), 0)
	if errno != 0 {
		return nil, fmt.Errorf("set an io_uring up: %w", errno)
	}
	r.fd = int(fd)
	word := func(off uint32) *uint32 { return (*uint32)(unsafe.Pointer(&r.queues[off])) }
	r.sqTail, r.sqMask = word(p.sq.tail), *word(p.sq.ringMask)
	r.sqes = unsafe.Slice((*sqe)(unsafe.Pointer(&r.entries[0])), p.sqEntries)
	r.cqHead, r.cqTail, r.cqMask = word(p.cq.head), word(p.cq.tail), *word(p.cq.ringMask)
	r.cqes = unsafe.Slice((*cqe)(unsafe.Pointer(&r.queues[p.cq.cqes])), p.cqEntries)
	return r, nil
}

// close gives the ring's memory back. The kernel may write to it for a moment
// yet, as it cancels what is under way; the next run begins long after.
func (r *ring) close() {
	if r.fd >= 0 {
		unix.Close(r.fd)
	}
	release(r.entries)
	release(r.queues)
	r.pins.Unpin()
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
