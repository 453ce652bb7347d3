package traffic

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// bulkRead is a read of who takes whatever is there, and bulkWake how many
	// bytes are there at least when it wakes: at 40 Mbit/s 150 times a second,
	// and little against any window worth measuring.
	bulkRead = 4 << 20
	bulkWake = 32 << 10
)

// read is the receiver's program: rest, read, rest, read. It ends with the
// first read that is over at or after the traffic's duration, from zero on. One
// that is under way then may last as long once more; after that, what has
// arrived of it counts.
//
// A chain in the ring is two steps a read: the rest and the read itself, whose
// completion tells the time. The bytes are dropped where they lie (MSG_TRUNC).
func (f *flow) read(zero time.Duration) error {
	reads := f.chain / 2
	r, err := newRing(uint32(2 * reads))
	if err != nil {
		return err
	}
	defer r.close()
	size := int(f.spec.Read)
	if size == 0 {
		size = bulkRead
		if err := unix.SetsockoptInt(f.receiver, unix.SOL_SOCKET, unix.SO_RCVLOWAT, bulkWake); err != nil {
			return fmt.Errorf("set SO_RCVLOWAT: %w", err)
		}
	}
	buf, err := memory(size)
	if err != nil {
		return err
	}
	defer release(buf)
	rest := timespecOf(f.spec.ReadEvery + timerSlack)
	r.pins.Pin(&rest)
	for f.elapsed < f.spec.Duration {
		f.marks = slices.Grow(f.marks, reads)
		for i := range reads {
			if f.spec.ReadEvery > 0 {
				r.add(sqe{opcode: opTimeout, flags: sqeLink | sqeSilent, addr: pointer(&rest), len: 1, opFlags: timeoutOK})
			}
			recv := sqe{opcode: opRecv, flags: sqeLink, fd: int32(f.receiver), addr: pointer(&buf[0]), len: uint32(size), opFlags: unix.MSG_TRUNC}
			if f.spec.ReadEvery == 0 {
				recv.ioprio = pollFirst
			}
			if i == reads-1 {
				recv.flags = 0
			}
			r.add(recv)
		}
		if err := f.collect(r, zero, reads); err != nil {
			return err
		}
	}
	return nil
}

// collect takes what a chain of reads completes: of each the bytes and the
// time. It ends with the chain, or with the traffic's duration.
func (f *flow) collect(r *ring, zero time.Duration, reads int) error {
	for reads > 0 && f.elapsed < f.spec.Duration {
		if err := r.wait(reads, f.spec.Duration-f.elapsed); err != nil {
			return err
		}
		if r.ready() == 0 { // the time is over, and a read is not
			t, err := now()
			if err != nil {
				return err
			}
			if err := r.wait(1, max(zero+2*f.spec.Duration-t, 1)); err != nil {
				return err
			}
			if r.ready() == 0 {
				return f.breakOff(zero)
			}
		}
		for r.ready() > 0 && f.elapsed < f.spec.Duration {
			c := r.take()
			switch {
			case c.res < 0:
				return lostOr("read on far", unix.Errno(-c.res))
			case c.res == 0:
				return fmt.Errorf("the connection ended after %v of %v", f.elapsed, f.spec.Duration)
			case c.at == 0:
				return errNoStamps
			}
			f.elapsed = time.Duration(c.at) - zero
			f.marks = append(f.marks, mark{f.elapsed, int64(c.res)})
			reads--
		}
	}
	return nil
}

// breakOff ends a read that took too long with what has arrived of it.
func (f *flow) breakOff(zero time.Duration) error {
	t, err := now()
	if err != nil {
		return err
	}
	arrived, err := unix.IoctlGetInt(f.receiver, unix.SIOCINQ)
	if err != nil {
		return fmt.Errorf("ask how much has arrived on far: %w", err)
	}
	f.elapsed = t - zero
	if arrived > 0 {
		f.marks = append(f.marks, mark{f.elapsed, int64(arrived)})
	}
	return nil
}

// errNoStamps is a kernel that this program did not build.
var errNoStamps = errors.New("this kernel's io_uring does not report when a read completed; use a kernel of unchoke lab kernel build")

// play is a player's program; see player. A request is one byte.
func (f *flow) play(zero time.Duration) error {
	chunk := f.spec.chunkBytes()
	p := player{chunk: f.spec.Chunk}
	buf := make([]byte, bulkRead)
	for {
		if err := write(f.receiver, []byte{0}); err != nil {
			return lostOr("ask for a chunk", err)
		}
		for left := chunk; left > 0; {
			n, _, err := unix.Recvfrom(f.receiver, buf[:min(left, bulkRead)], unix.MSG_TRUNC)
			if errors.Is(err, unix.EINTR) {
				continue
			}
			waited := errors.Is(err, unix.EAGAIN) // for as long as the traffic lasts
			if err != nil && !waited {
				return lostOr("read on far", err)
			}
			t, err := now()
			if err != nil {
				return err
			}
			at := t - zero
			if waited {
				f.elapsed, f.stalled = at, p.stalledUntil(at)
				return nil
			}
			if n == 0 {
				return fmt.Errorf("the connection ended after %v of %v", at, f.spec.Duration)
			}
			f.marks = append(f.marks, mark{at, int64(n)})
			left -= int64(n)
			if at >= f.spec.Duration {
				f.elapsed, f.stalled = at, p.stalledUntil(at)
				return nil
			}
		}
		at := f.marks[len(f.marks)-1].at
		ask := min(p.take(at), f.spec.Duration)
		if err := sleepUntil(zero + ask); err != nil {
			return err
		}
		if ask == f.spec.Duration {
			f.elapsed, f.stalled = ask, p.stalledUntil(ask)
			return nil
		}
	}
}
