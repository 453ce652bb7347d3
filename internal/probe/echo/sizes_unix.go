//go:build linux || darwin

package echo

import (
	"errors"
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"
)

// sizer sends echoes of different sizes, none of which may be cut.
type sizer struct {
	*icmp
	tooBig bool // an ICMP message said so
}

func openSizer(addr netip.Addr, largest int) (*sizer, error) {
	m, err := openICMP(addr, largest)
	if err != nil {
		return nil, err
	}
	p := m.(*icmp)
	if err := forbidFragments(p.fd, addr); err != nil {
		p.close()
		return nil, fmt.Errorf("forbid fragments: %w", err)
	}
	return &sizer{icmp: p}, nil
}

// send sends an echo with so much payload and says whether this host refused
// it for its size. Any other failure is a loss.
func (s *sizer) send(seq uint16, payload int) (refused bool) {
	s.size = payload
	return errors.Is(s.icmp.send(seq), unix.EMSGSIZE)
}

// answers are the sequence numbers that came back since it was last asked.
func (s *sizer) answers() []uint16 {
	var out []uint16
	for {
		n, err := unix.Read(s.fd, s.buf)
		switch {
		case errors.Is(err, unix.EMSGSIZE):
			s.tooBig = true
			continue
		case err != nil && (errors.Is(err, unix.EINTR) || isICMPError(err)):
			continue
		case err != nil:
			return out
		}
		if seq, ok := reply(s.buf[:n], s.addr, s.token); ok {
			out = append(out, seq)
		}
	}
}

func (s *sizer) told() bool { return s.tooBig }
