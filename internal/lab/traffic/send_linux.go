package traffic

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// sendPaced writes at the set rate.
//
// While there is room in the send buffer, a chain of writes and sleeps runs in
// the ring. A write that finds no room ends the chain, and is made good as a
// program would: it blocks, and the next write's time follows from when this
// one began.
func (f *flow) sendPaced() error {
	r, err := newRing(2 * chain)
	if err != nil {
		return err
	}
	defer r.close()
	size := int(f.spec.Write)
	buf, err := memory(size)
	if err != nil {
		return err
	}
	defer unix.Munmap(buf)
	interval := time.Duration(float64(size) * 8 / float64(f.spec.Rate) * float64(time.Second))
	due, err := now() // of the chain's first write
	if err != nil {
		return err
	}
	rest := timespecOf(interval + timerSlack)
	times := make([]timespec, chain)
	for {
		for i := range chain {
			r.add(sqe{
				opcode: opSend, flags: sqeLink | sqeSilent, fd: int32(f.sender), user: uint64(i),
				addr: pointer(&buf[0]), len: uint32(size), opFlags: unix.MSG_DONTWAIT | unix.MSG_WAITALL | unix.MSG_NOSIGNAL,
			})
			sleep := sqe{opcode: opTimeout, flags: sqeLink | sqeSilent, addr: pointer(&rest), len: 1, opFlags: timeoutOK, user: slept}
			if f.spec.CatchUp {
				times[i] = timespecOf(due + time.Duration(i+1)*interval + timerSlack)
				sleep.addr, sleep.opFlags = pointer(&times[i]), timeoutOK|timeoutAbs
			}
			if i == chain-1 {
				sleep.flags = 0
			}
			r.add(sleep)
		}
		if err := r.wait(1); err != nil {
			return err
		}
		first := r.take()
		for r.ready() > 0 {
			r.take() // what was cancelled behind it
		}
		if first.user == slept {
			due += chain * interval
			continue
		}
		if first.res < 0 && unix.Errno(-first.res) != unix.EAGAIN {
			return fmt.Errorf("write on near: %w", unix.Errno(-first.res))
		}
		began, err := now()
		if err != nil {
			return err
		}
		if err := write(f.sender, buf[max(0, first.res):]); err != nil {
			return err
		}
		if f.spec.CatchUp {
			due += time.Duration(first.user+1) * interval
		} else {
			due = began + interval
		}
		if err := sleepUntil(due); err != nil {
			return err
		}
	}
}

// slept marks the completion of a sleep; writes are marked with their number.
const slept = chain

// write writes all of b.
func write(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := unix.SendmsgN(fd, b, nil, nil, unix.MSG_NOSIGNAL)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("write on near: %w", err)
		}
		b = b[n:]
	}
	return nil
}

// bulkWrite is one write of who offers whatever TCP takes.
const bulkWrite = 1 << 20

func (f *flow) sendBulk() error {
	buf, err := memory(bulkWrite)
	if err != nil {
		return err
	}
	defer unix.Munmap(buf)
	for {
		if err := write(f.sender, buf); err != nil {
			return err
		}
	}
}

// serveChunks answers each request of a player with a chunk.
func (f *flow) serveChunks() error {
	buf, err := memory(bulkWrite)
	if err != nil {
		return err
	}
	defer unix.Munmap(buf)
	for {
		var request [1]byte
		n, _, err := unix.Recvfrom(f.sender, request[:], 0)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return fmt.Errorf("read a request on near: %w", err)
		case n == 0:
			return nil
		}
		for left := f.spec.chunkBytes(); left > 0; left -= bulkWrite {
			if err := write(f.sender, buf[:min(left, bulkWrite)]); err != nil {
				return err
			}
		}
	}
}
