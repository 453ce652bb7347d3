package rtnl

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// readSize is more than the kernel puts into one answer, which is at most
// 32 KiB of a list, and only where the reader offers that much (netlink_recvmsg).
const readSize = 64 << 10

// Get asks for one thing: the answer's body. kind is RTM_GETLINK, …
func Get(kind uint16, body []byte) ([]byte, error) {
	all, err := ask(kind, 0, body)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, errors.New("no answer")
	}
	return all[0], nil
}

// List asks for all things of a kind: the answers' bodies.
func List(kind uint16, body []byte) ([][]byte, error) { return ask(kind, unix.NLM_F_DUMP, body) }

func ask(kind, flags uint16, body []byte) ([][]byte, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("open an rtnetlink socket: %w", err)
	}
	defer unix.Close(fd)
	request := Request{Type: kind, Flags: flags, Body: body}.append(nil, 0)
	if err := unix.Sendto(fd, request, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, err
	}
	var all [][]byte
	buffer := make([]byte, readSize)
	for {
		n, err := unix.Read(fd, buffer)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return nil, err
		}
		bodies, more, err := parseAnswers(buffer[:n])
		all = append(all, bodies...)
		if err != nil || !more {
			return all, err
		}
	}
}

// parseAnswers splits what was read. more: the kernel has not said all.
func parseAnswers(b []byte) (bodies [][]byte, more bool, err error) {
	for len(b) > 0 {
		length := 0
		if len(b) >= unix.NLMSG_HDRLEN {
			length = int(min(binary.NativeEndian.Uint32(b), readSize+1))
		}
		if length < unix.NLMSG_HDRLEN || length > len(b) {
			return nil, false, errors.New("answer cut short")
		}
		body := b[unix.NLMSG_HDRLEN:length]
		more = binary.NativeEndian.Uint16(b[6:])&unix.NLM_F_MULTI != 0
		switch binary.NativeEndian.Uint16(b[4:]) {
		case unix.NLMSG_ERROR, unix.NLMSG_DONE:
			if len(body) >= 4 {
				if code := int32(binary.NativeEndian.Uint32(body)); code < 0 {
					return nil, false, unix.Errno(-code)
				}
			}
			return bodies, false, nil
		default:
			bodies = append(bodies, bytes.Clone(body))
		}
		b = b[min((length+3)&^3, len(b)):]
	}
	return bodies, more, nil
}
