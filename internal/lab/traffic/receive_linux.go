package traffic

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// chain is how many reads or writes are linked in a ring, at most: long
	// enough that the program hardly ever wakes.
	chain = 256
	// bulkRead is a read of who takes whatever is there, and bulkWake how many
	// bytes are there at least when it wakes: at 40 Mbit/s 150 times a second,
	// and little against any window worth measuring.
	bulkRead = 4 << 20
	bulkWake = 32 << 10
)

// read is the receiver's program: rest, read, rest, read.
func (f *flow) read(clock *stopwatch) error {
	r, err := newRing(4 * chain)
	if err != nil {
		return err
	}
	defer r.close()
	size, flags := int(f.spec.Read), 0
	if size == 0 {
		size, flags = bulkRead, unix.MSG_TRUNC
		if err := unix.SetsockoptInt(f.receiver, unix.SOL_SOCKET, unix.SO_RCVLOWAT, bulkWake); err != nil {
			return fmt.Errorf("set SO_RCVLOWAT: %w", err)
		}
	}
	buf, err := memory(size)
	if err != nil {
		return err
	}
	defer unix.Munmap(buf)
	slots, err := memory(chain * 8)
	if err != nil {
		return err
	}
	defer unix.Munmap(slots)
	ticks := unsafe.Slice((*uint64)(unsafe.Pointer(&slots[0])), chain)
	rest := timespecOf(f.spec.ReadEvery + timerSlack)
	bytes := make([]int64, chain)
	at := time.Duration(0)
	for at < f.spec.Duration {
		steps := f.steps(at)
		for i := range steps {
			if f.spec.ReadEvery > 0 {
				r.add(sqe{opcode: opTimeout, flags: sqeLink | sqeSilent, addr: pointer(&rest), len: 1, opFlags: timeoutOK})
			}
			e := sqe{opcode: opRecv, flags: sqeLink, fd: int32(f.receiver), addr: pointer(&buf[0]), len: uint32(size), opFlags: uint32(flags), user: uint64(i)}
			if f.spec.ReadEvery == 0 {
				e.ioprio = pollFirst
			}
			r.add(e)
			stamp := sqe{opcode: opRead, flags: sqeLink | sqeSilent, fd: int32(clock.fd), addr: pointer(&ticks[i]), len: 8, user: stampUser}
			if i == steps-1 {
				stamp.flags = 0
			}
			r.add(stamp)
		}
		if err := r.wait(steps + 1); err != nil {
			return err
		}
		for r.ready() > 0 {
			c := r.take()
			switch {
			case c.res < 0 && unix.Errno(-c.res) != unix.ECANCELED:
				return fmt.Errorf("read on far: %w", unix.Errno(-c.res))
			case c.user != stampUser:
				bytes[c.user] = int64(c.res)
			}
		}
		for i := range steps {
			if bytes[i] <= 0 {
				return fmt.Errorf("the connection ended after %v of %v", at, f.spec.Duration)
			}
			at += time.Duration(ticks[i]) * tick
			f.marks = append(f.marks, mark{at, bytes[i]})
			if at >= f.spec.Duration {
				break
			}
		}
	}
	f.elapsed = at
	return nil
}

const stampUser = 1 << 32

// steps is how many reads may be linked at a time: no more than can be over
// before the end, as long as bytes arrive.
func (f *flow) steps(at time.Duration) int {
	if f.spec.ReadEvery == 0 {
		return 16
	}
	return int(max(1, min(chain, (f.spec.Duration-at)/(f.spec.ReadEvery+timerSlack))))
}

// play is a player's program; see player. A request is one byte.
func (f *flow) play(clock *stopwatch) error {
	chunk := f.spec.chunkBytes()
	p := player{chunk: f.spec.Chunk}
	buf := make([]byte, bulkRead)
	for {
		if err := write(f.receiver, []byte{0}); err != nil {
			return fmt.Errorf("ask for a chunk: %w", err)
		}
		for left := chunk; left > 0; {
			n, _, err := unix.Recvfrom(f.receiver, buf[:min(left, bulkRead)], unix.MSG_TRUNC)
			if errors.Is(err, unix.EINTR) {
				continue
			}
			if err != nil {
				return fmt.Errorf("read on far: %w", err)
			}
			at, err := clock.read()
			if err != nil {
				return err
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
		if err := sleepUntil(clock.zero + ask); err != nil {
			return err
		}
		if ask == f.spec.Duration {
			f.elapsed, f.stalled = ask, p.stalledUntil(ask)
			return nil
		}
	}
}
