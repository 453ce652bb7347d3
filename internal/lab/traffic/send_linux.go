package traffic

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// sendPaced writes at the set rate. A chain in the ring is two steps a write:
// the write, and the sleep until the next.
//
// The sleep begins when the write is over. That is when the write began, save
// where it had to wait for room in the send buffer: then the next one comes up
// to an interval later than from a program that took the time before. The
// buffer is full at such a moment, and so no packet is sent any later.
func (f *flow) sendPaced() error {
	writes := f.chain / 2
	r, err := newRing(uint32(2 * writes))
	if err != nil {
		return err
	}
	defer r.close()
	size := int(f.spec.Write)
	buf, err := memory(size)
	if err != nil {
		return err
	}
	defer release(buf)
	interval := time.Duration(float64(size) * 8 / float64(f.spec.Rate) * float64(time.Second))
	due, err := now() // of the chain's first write
	if err != nil {
		return err
	}
	rest := timespecOf(interval + timerSlack)
	r.pins.Pin(&rest)
	var times []timespec
	if f.spec.CatchUp {
		times = make([]timespec, writes)
	}
	for {
		for i := range writes {
			r.add(sqe{
				opcode: opSend, flags: sqeLink | sqeSilent, fd: int32(f.sender),
				addr: pointer(&buf[0]), len: uint32(size), opFlags: unix.MSG_WAITALL | unix.MSG_NOSIGNAL,
			})
			sleep := sqe{opcode: opTimeout, flags: sqeLink | sqeSilent, addr: pointer(&rest), len: 1, opFlags: timeoutOK, user: slept}
			if f.spec.CatchUp {
				due += interval
				times[i] = timespecOf(due + timerSlack)
				sleep.addr, sleep.opFlags = pointer(&times[i]), timeoutOK|timeoutAbs
			}
			if i == writes-1 {
				sleep.flags = 0
			}
			r.add(sleep)
		}
		if err := r.wait(1, 0); err != nil {
			return err
		}
		if c := r.take(); c.user != slept {
			return unfinished(c)
		}
	}
}

// unfinished is why a write in a ring was not made in full. A part of one is
// what a connection that was shut down meanwhile leaves.
func unfinished(c cqe) error {
	if c.res >= 0 {
		return unix.EPIPE
	}
	return lostOr("write on near", unix.Errno(-c.res))
}

// slept marks the completion of a chain's last sleep.
const slept = 1

// write writes all of b.
func write(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := unix.SendmsgN(fd, b, nil, nil, unix.MSG_NOSIGNAL)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// bulkWrite is one write of who offers whatever TCP takes. A chain is many.
const bulkWrite = 1 << 20

func (f *flow) sendBulk() error {
	const writes = 256
	r, err := newRing(writes)
	if err != nil {
		return err
	}
	defer r.close()
	buf, err := memory(bulkWrite)
	if err != nil {
		return err
	}
	defer release(buf)
	for {
		for i := range writes {
			e := sqe{
				opcode: opSend, flags: sqeLink | sqeSilent, fd: int32(f.sender),
				addr: pointer(&buf[0]), len: bulkWrite, opFlags: unix.MSG_WAITALL | unix.MSG_NOSIGNAL,
			}
			if i == writes-1 {
				e.flags = 0
			}
			r.add(e)
		}
		if err := r.wait(1, 0); err != nil {
			return err
		}
		if c := r.take(); c.res < bulkWrite {
			return unfinished(c)
		}
	}
}

// serveChunks answers each request of a player with a chunk.
func (f *flow) serveChunks() error {
	buf, err := memory(bulkWrite)
	if err != nil {
		return err
	}
	defer release(buf)
	for {
		var request [1]byte
		n, _, err := unix.Recvfrom(f.sender, request[:], 0)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return lostOr("read a request on near", err)
		case n == 0:
			return nil
		}
		for left := f.spec.chunkBytes(); left > 0; left -= bulkWrite {
			if err := write(f.sender, buf[:min(left, bulkWrite)]); err != nil {
				return lostOr("write on near", err)
			}
		}
	}
}
