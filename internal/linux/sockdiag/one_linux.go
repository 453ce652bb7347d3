package sockdiag

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"
)

// ErrGone says that a connection has ended.
var ErrGone = errors.New("the connection has ended")

// Key names one TCP connection.
type Key struct {
	Local, Remote netip.AddrPort
	// Device is the index of the device that its socket is bound to, or 0.
	Device uint32
	// Cookie is the socket's: a later connection between the same ends is another.
	Cookie uint64
}

// One asks for one connection, which the kernel finds without a walk of its
// table. The Socket is valid until the next call. Where the connection has ended
// the error is ErrGone.
func (d *Dumper) One(k Key) (*Socket, error) {
	d.sequence++
	d.request = k.append(d.request[:0], d.sequence)
	if err := retry(func() error { _, err := unix.Write(d.fd, d.request); return err }); err != nil {
		return nil, fmt.Errorf("ask for a connection: %w", err)
	}
	for {
		var n int
		if err := retry(func() (err error) { n, err = unix.Read(d.fd, d.buffer); return err }); err != nil {
			return nil, fmt.Errorf("read of a connection: %w", err)
		}
		m, _, err := next(d.buffer[:n])
		if err != nil {
			return nil, fmt.Errorf("read of a connection: %w", err)
		}
		if m.sequence != d.sequence {
			continue // of a request that was given up
		}
		if m.kind == unix.NLMSG_ERROR {
			return nil, goneOr(m.failure())
		}
		if err := d.socket.parse(m.body); err != nil {
			return nil, fmt.Errorf("read of a connection: %w", err)
		}
		return &d.socket, nil
	}
}

// goneOr reads what the kernel answers where it finds no such socket: ENOENT, or
// ESTALE where the cookie is another's.
func goneOr(err error) error {
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ESTALE):
		return ErrGone
	case err == nil:
		err = errShort
	}
	return fmt.Errorf("read of a connection: %w", err)
}

// append adds the request to b: struct inet_diag_req_v2 without NLM_F_DUMP.
func (k Key) append(b []byte, sequence uint32) []byte {
	b = append(b, make([]byte, unix.NLMSG_HDRLEN)...)
	local, remote := k.Local.Addr().Unmap(), k.Remote.Addr().Unmap()
	family := byte(unix.AF_INET6)
	if remote.Is4() {
		family = unix.AF_INET
	}
	wanted := byte(1<<(attributeInfo-1) | 1<<(attributeCC-1) | 1<<(attributeMemory-1))
	b = append(b, family, unix.IPPROTO_TCP, wanted, 0)
	b = binary.NativeEndian.AppendUint32(b, allStates)
	b = binary.BigEndian.AppendUint16(b, k.Local.Port())
	b = binary.BigEndian.AppendUint16(b, k.Remote.Port())
	for _, a := range []netip.Addr{local, remote} {
		var field [16]byte
		copy(field[:], a.AsSlice())
		b = append(b, field[:]...)
	}
	b = binary.NativeEndian.AppendUint32(b, k.Device)
	b = binary.NativeEndian.AppendUint32(b, uint32(k.Cookie))
	b = binary.NativeEndian.AppendUint32(b, uint32(k.Cookie>>32))
	binary.NativeEndian.PutUint32(b, uint32(len(b)))
	binary.NativeEndian.PutUint16(b[4:], sockDiagByFamily)
	binary.NativeEndian.PutUint16(b[6:], unix.NLM_F_REQUEST)
	binary.NativeEndian.PutUint32(b[8:], sequence)
	return b
}
