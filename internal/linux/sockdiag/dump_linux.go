package sockdiag

import (
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Of linux/sock_diag.h and linux/inet_diag.h.
const (
	sockDiagByFamily = 20
	// tcpDiagGetSock asks for the TCP sockets of both families in one walk of
	// the kernel's table, which a request by family cannot (TCPDIAG_GETSOCK).
	tcpDiagGetSock = 18
	filterProgram  = 1 // INET_DIAG_REQ_BYTECODE
)

// readSize is more than the kernel puts into one answer, which is at most
// 32 KiB, and only where the reader offers that much (netlink_recvmsg).
const readSize = 64 << 10

// ErrInterrupted says that the kernel's table changed while it was walked, so
// that a dump may lack sockets that were there (NLM_F_DUMP_INTR).
var ErrInterrupted = errors.New("the list changed while it was read")

// Dumper lists sockets, again and again, with the same buffers. It belongs to
// the network namespace in which it was opened. It is for one goroutine.
type Dumper struct {
	fd       int
	sequence uint32
	buffer   []byte
	request  []byte
	socket   Socket
}

// Open opens a Dumper in the calling thread's network namespace.
func Open() (*Dumper, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_INET_DIAG)
	if err != nil {
		return nil, fmt.Errorf("open a sock_diag socket: %w", err)
	}
	// The kernel answers within the calls themselves: this ends a wait for an
	// answer that got lost.
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 5}); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("set up a sock_diag socket: %w", err)
	}
	return &Dumper{fd: fd, buffer: make([]byte, readSize)}, nil
}

// Close closes it.
func (d *Dumper) Close() error { return unix.Close(d.fd) }

// query says which sockets to list, with what.
type query struct {
	family   byte // 0: both, of TCP only
	protocol byte
	states   uint32 // a bit each
	wanted   byte   // a bit for each attribute up to 8
	match    Match
}

// TCP hands over every TCP connection that matches, with everything that a
// Socket tells. Those that listen or wait in TIME_WAIT are none. f may keep
// nothing of the Socket. Where the error is ErrInterrupted, f has seen most
// connections; after any other one it may have seen none.
func (d *Dumper) TCP(match Match, f func(*Socket)) error {
	return d.each(query{
		protocol: unix.IPPROTO_TCP, states: liveStates, match: match,
		wanted: 1<<(attributeInfo-1) | 1<<(attributeCC-1) | 1<<(attributeMemory-1),
	}, f)
}

// Listeners hands over every TCP socket that listens: its address and port.
func (d *Dumper) Listeners(f func(*Socket)) error {
	return d.each(query{protocol: unix.IPPROTO_TCP, states: 1 << stateListen}, f)
}

const stateListen = 10 // TCP_LISTEN

// liveStates are those of connections (net/tcp_states.h): ESTABLISHED,
// SYN_SENT, SYN_RECV, FIN_WAIT1, FIN_WAIT2, CLOSE_WAIT, LAST_ACK, CLOSING.
const liveStates = 1<<1 | 1<<2 | 1<<3 | 1<<4 | 1<<5 | 1<<8 | 1<<9 | 1<<11

// each makes one dump. What cannot be parsed is left out; the error says so at
// the end.
func (d *Dumper) each(q query, f func(*Socket)) error {
	d.sequence++
	d.request = q.append(d.request[:0], d.sequence)
	if err := retry(func() error { _, err := unix.Write(d.fd, d.request); return err }); err != nil {
		return fmt.Errorf("ask for the list of sockets: %w", err)
	}
	var problem error
	for {
		var n int
		if err := retry(func() (err error) { n, err = unix.Read(d.fd, d.buffer); return err }); err != nil {
			return fmt.Errorf("read the list of sockets: %w", err)
		}
		done, err := d.answers(d.buffer[:n], f)
		if err != nil && problem == nil {
			problem = err
		}
		if done {
			return problem
		}
	}
}

// answers reads the messages of one read; done says that the dump has ended.
func (d *Dumper) answers(b []byte, f func(*Socket)) (done bool, problem error) {
	note := func(err error) {
		if problem == nil {
			problem = fmt.Errorf("list sockets: %w", err)
		}
	}
	for len(b) > 0 {
		m, rest, err := next(b)
		if err != nil {
			note(err)
			return false, problem
		}
		b = rest
		if m.sequence != d.sequence {
			continue // of a dump that was given up
		}
		if m.flags&unix.NLM_F_DUMP_INTR != 0 {
			note(ErrInterrupted)
		}
		switch m.kind {
		case unix.NLMSG_DONE, unix.NLMSG_ERROR:
			if err := m.failure(); err != nil {
				note(err)
			}
			return true, problem
		default:
			if err := d.socket.parse(m.body); err != nil {
				note(err)
				continue
			}
			f(&d.socket)
		}
	}
	return false, problem
}

// append adds the request to b.
func (q query) append(b []byte, sequence uint32) []byte {
	kind := uint16(sockDiagByFamily)
	if q.family == 0 {
		kind = tcpDiagGetSock
	}
	b = append(b, make([]byte, unix.NLMSG_HDRLEN)...)
	if q.family == 0 { // struct inet_diag_req
		b = append(b, unix.AF_INET, 0, 0, q.wanted)
		b = append(b, make([]byte, 48)...) // struct inet_diag_sockid
		b = binary.NativeEndian.AppendUint32(b, q.states)
		b = binary.NativeEndian.AppendUint32(b, 0)
	} else { // struct inet_diag_req_v2
		b = append(b, q.family, q.protocol, q.wanted, 0)
		b = binary.NativeEndian.AppendUint32(b, q.states)
		b = append(b, make([]byte, 48)...)
	}
	if program := q.match.program(); len(program) > 0 {
		b = binary.NativeEndian.AppendUint16(b, uint16(attributeHead+len(program)))
		b = binary.NativeEndian.AppendUint16(b, filterProgram)
		b = append(b, program...)
	}
	binary.NativeEndian.PutUint32(b, uint32(len(b)))
	binary.NativeEndian.PutUint16(b[4:], kind)
	binary.NativeEndian.PutUint16(b[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	binary.NativeEndian.PutUint32(b[8:], sequence)
	return b
}

// retry makes a system call again that a signal interrupted.
func retry(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}
