package traffic

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"unchoke/tcpinfo"
)

// observe looks at the sender's TCP_INFO at the times that looksOf lists. A
// chain in the ring is three steps a look: the sleep until then, a question to
// sock_diag, and its answer.
func (f *flow) observe() error {
	zero, ok := <-f.accepted
	if !ok {
		return nil
	}
	looks := looksOf(f.spec, f.series)
	times := make([]timespec, len(looks))
	for i, l := range looks {
		times[i] = timespecOf(zero + l.at)
	}
	question := diagQuestion(f.from, f.to)
	ask, err := memory(len(question))
	if err != nil {
		return err
	}
	defer release(ask)
	copy(ask, question)
	most := min(len(looks), f.chain/3)
	answers, err := memory(most * answerSize)
	if err != nil {
		return err
	}
	defer release(answers)
	r, err := newRing(uint32(3 * most))
	if err != nil {
		return err
	}
	defer r.close()
	for done := 0; done < len(looks); {
		n := min(most, len(looks)-done)
		for i := range n {
			answer := sqe{opcode: opRecv, flags: sqeLink, fd: int32(f.diag), addr: pointer(&answers[i*answerSize]), len: answerSize}
			if i == n-1 {
				answer.flags = 0
			}
			r.add(sqe{opcode: opTimeout, flags: sqeLink | sqeSilent, addr: pointer(&times[done+i]), len: 1, opFlags: timeoutOK | timeoutAbs})
			r.add(sqe{opcode: opSend, flags: sqeLink | sqeSilent, fd: int32(f.diag), addr: pointer(&ask[0]), len: uint32(len(ask))})
			r.add(answer)
		}
		if err := r.wait(n, 0); err != nil {
			return err
		}
		for i := range n {
			c := r.take()
			if c.res < 0 {
				return fmt.Errorf("ask sock_diag: %w", unix.Errno(-c.res))
			}
			info, err := diagAnswer(answers[i*answerSize:][:c.res])
			if errors.Is(err, errGone) {
				return nil // closed: nothing is left to see
			}
			if err != nil {
				return err
			}
			l := looks[done+i]
			l.info = info
			if l.at == f.spec.Omit && l.at > 0 {
				f.first = info
			}
			f.looks = append(f.looks, l)
		}
		done += n
	}
	return nil
}

// looksOf lists the looks of a run: on the grid of the statistics, on that of
// the series, and where figures begin.
func looksOf(spec Spec, series time.Duration) []look {
	next := func(grid, after time.Duration) time.Duration {
		if grid == 0 {
			return spec.Duration + 1
		}
		return after - after%grid + grid
	}
	var looks []look
	for at := time.Duration(0); at <= spec.Duration; {
		looks = append(looks, look{at: at, inStats: at%lookEvery == 0, inSeries: series > 0 && at%series == 0})
		after := min(next(lookEvery, at), next(series, at))
		if at < spec.Omit {
			after = min(after, spec.Omit)
		}
		at = after
	}
	return looks
}

// answerSize is room for a struct inet_diag_msg and its attributes.
const answerSize = 1024

// diagQuestion asks for the TCP_INFO of a connection: a struct
// inet_diag_req_v2 (linux/inet_diag.h).
func diagQuestion(from, to unix.SockaddrInet4) []byte {
	const (
		byFamily  = 20     // SOCK_DIAG_BY_FAMILY
		extInfo   = 1 << 1 // 1 << (INET_DIAG_INFO - 1)
		headerLen = 16
		reqLen    = 56
		noCookie  = 1<<64 - 1 // INET_DIAG_NOCOOKIE, twice
	)
	b := make([]byte, headerLen+reqLen)
	binary.NativeEndian.PutUint32(b, uint32(len(b)))
	binary.NativeEndian.PutUint16(b[4:], byFamily)
	binary.NativeEndian.PutUint16(b[6:], unix.NLM_F_REQUEST)
	req := b[headerLen:]
	req[0], req[1], req[2] = unix.AF_INET, unix.IPPROTO_TCP, extInfo
	id := req[8:] // struct inet_diag_sockid: ports, addresses, device, cookie
	binary.BigEndian.PutUint16(id, uint16(from.Port))
	binary.BigEndian.PutUint16(id[2:], uint16(to.Port))
	copy(id[4:], from.Addr[:])
	copy(id[20:], to.Addr[:])
	binary.NativeEndian.PutUint64(id[40:], noCookie)
	return b
}

// errGone is an answer without a connection.
var errGone = errors.New("no such connection")

// diagAnswer finds the TCP_INFO in an answer.
func diagAnswer(b []byte) (tcpinfo.Info, error) {
	const (
		headerLen = 16
		diagLen   = 72 // struct inet_diag_msg
		attrInfo  = 2  // INET_DIAG_INFO
	)
	if len(b) < headerLen {
		return tcpinfo.Info{}, fmt.Errorf("sock_diag answers %d bytes", len(b))
	}
	length := int(binary.NativeEndian.Uint32(b))
	switch kind := binary.NativeEndian.Uint16(b[4:]); {
	case kind == unix.NLMSG_DONE:
		return tcpinfo.Info{}, errGone
	case kind == unix.NLMSG_ERROR && len(b) >= headerLen+4:
		errno := unix.Errno(-int32(binary.NativeEndian.Uint32(b[headerLen:])))
		if errno == unix.ENOENT {
			return tcpinfo.Info{}, errGone
		}
		return tcpinfo.Info{}, fmt.Errorf("ask sock_diag: %w", errno)
	}
	if length < headerLen+diagLen || length > len(b) {
		return tcpinfo.Info{}, fmt.Errorf("sock_diag answers %d bytes of %d", len(b), length)
	}
	for rest := b[headerLen+diagLen : length]; len(rest) >= 4; {
		size := int(binary.NativeEndian.Uint16(rest))
		if size < 4 || size > len(rest) {
			break
		}
		if binary.NativeEndian.Uint16(rest[2:]) == attrInfo {
			return tcpinfo.Parse(rest[4:size])
		}
		rest = rest[min(len(rest), (size+3)&^3):]
	}
	return tcpinfo.Info{}, errors.New("sock_diag answers without TCP_INFO")
}
