package rtnl

import (
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Request is one change.
type Request struct {
	What  string // in words, for its error: "add netem on eth0"; empty where the caller says it
	Kind  string // what the kernel may lack: "netem"; empty where it lacks nothing
	Type  uint16 // RTM_NEWLINK, …
	Flags uint16 // NLM_F_CREATE, …
	Body  []byte // the message without its header
}

// batch is how many bytes one message to the kernel has at most, save one that
// is a single request: well within a socket's default send buffer.
const batch = 64 << 10

// Do makes the requests in their order. Its error is that of the first that
// failed; some of those behind it may have been made all the same.
func Do(requests ...Request) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return fmt.Errorf("open an rtnetlink socket: %w", err)
	}
	defer unix.Close(fd)
	// An error comes with the request's header, not with all of it.
	if err := unix.SetsockoptInt(fd, unix.SOL_NETLINK, unix.NETLINK_CAP_ACK, 1); err != nil {
		return fmt.Errorf("set up an rtnetlink socket: %w", err)
	}
	for len(requests) > 0 {
		var message []byte
		var sent, last int // requests in the message, and where its last one begins
		for sent < len(requests) && (sent == 0 || len(message)+len(requests[sent].Body) < batch) {
			last = len(message)
			message = requests[sent].append(message, sent)
			sent++
		}
		acknowledge(message[last:])
		if err := exchange(fd, message, requests[:sent]); err != nil {
			return err
		}
		requests = requests[sent:]
	}
	return nil
}

// append adds the request to a message. Its sequence number says which one an
// answer is for.
func (r Request) append(b []byte, number int) []byte {
	length := unix.NLMSG_HDRLEN + len(r.Body)
	b = binary.NativeEndian.AppendUint32(b, uint32(length))
	b = binary.NativeEndian.AppendUint16(b, r.Type)
	b = binary.NativeEndian.AppendUint16(b, r.Flags|unix.NLM_F_REQUEST)
	b = binary.NativeEndian.AppendUint32(b, uint32(number))
	b = binary.NativeEndian.AppendUint32(b, 0) // the sender's port, which the kernel knows
	b = append(b, r.Body...)
	return append(b, make([]byte, -len(b)&(unix.NLMSG_ALIGNTO-1))...)
}

// acknowledge asks for an answer to a request: a message's last, since one that
// fails is answered unasked.
func acknowledge(request []byte) {
	flags := request[6:] // of struct nlmsghdr
	binary.NativeEndian.PutUint16(flags, binary.NativeEndian.Uint16(flags)|unix.NLM_F_ACK)
}

// exchange sends a message and waits for the answer to its last request.
func exchange(fd int, message []byte, requests []Request) error {
	if err := unix.Sendto(fd, message, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return requests[0].failed(err)
	}
	var answer [4096]byte
	for {
		n, err := unix.Read(fd, answer[:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return requests[0].failed(err)
		}
		number, errno, err := parseAnswer(answer[:n], len(requests))
		switch {
		case err != nil:
			return requests[0].failed(err)
		case errno != 0:
			return requests[number].failed(errno)
		case number == len(requests)-1:
			return nil
		}
	}
}

// parseAnswer reads an NLMSG_ERROR, with which the kernel also acknowledges:
// which of so many requests it is for, and what became of it.
func parseAnswer(b []byte, requests int) (number int, errno unix.Errno, err error) {
	const size = unix.NLMSG_HDRLEN + 4
	if len(b) < size {
		return 0, 0, fmt.Errorf("an answer of %d bytes", len(b))
	}
	if t := binary.NativeEndian.Uint16(b[4:]); t != unix.NLMSG_ERROR {
		return 0, 0, fmt.Errorf("an answer of type %d", t)
	}
	if n := binary.NativeEndian.Uint32(b[8:]); n < uint32(requests) {
		number = int(n)
	} else {
		return 0, 0, fmt.Errorf("an answer to request %d of %d", n+1, requests)
	}
	return number, unix.Errno(-int32(binary.NativeEndian.Uint32(b[unix.NLMSG_HDRLEN:]))), nil
}

func (r Request) failed(err error) error {
	if r.Kind != "" && (errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EOPNOTSUPP)) {
		err = fmt.Errorf("this kernel has no %s: %w", r.Kind, err)
	}
	if r.What == "" {
		return err
	}
	return fmt.Errorf("%s: %w", r.What, err)
}
