package device

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/rtnl"
)

// Statistics reads the counters of every queueing discipline of the calling
// thread's network namespace, in the kernel's order: device by device, the
// root first.
func Statistics() ([]Stats, error) {
	replies, err := rtnl.List(unix.RTM_GETQDISC, make([]byte, tcMsgSize))
	if err != nil {
		return nil, fmt.Errorf("read the counters of qdiscs: %w", err)
	}
	out := make([]Stats, 0, len(replies))
	for _, r := range replies {
		s, err := parseStats(r)
		if err != nil {
			return nil, fmt.Errorf("read the counters of qdiscs: %w", err)
		}
		out = append(out, s)
	}
	return out, nil
}

// Attributes within TCA_STATS2 (linux/gen_stats.h).
const (
	statsBasic = 1 // struct gnet_stats_basic: u64 bytes, u32 packets
	statsQueue = 3 // struct gnet_stats_queue: u32 qlen, backlog, drops, requeues, overlimits
	statsPkt64 = 8 // u64 packets, where 32 bits are not enough
)

// parseStats reads a struct tcmsg and the counters among its attributes.
// Counters that are cut short are an error.
func parseStats(b []byte) (Stats, error) {
	if len(b) < tcMsgSize {
		return Stats{}, errShort
	}
	s := Stats{Device: int(int32(binary.NativeEndian.Uint32(b[4:])))}
	s.Handle = Handle(binary.NativeEndian.Uint32(b[8:]))
	s.Parent = Handle(binary.NativeEndian.Uint32(b[12:]))
	ad := rtnl.NewDecoder(b[tcMsgSize:])
	for ad.Next() {
		switch ad.Type() {
		case unix.TCA_KIND:
			s.Kind = ad.String()
		case unix.TCA_STATS2:
			ad.Nested(s.counters)
		}
	}
	return s, ad.Err()
}

func (s *Stats) counters(ad *rtnl.Decoder) error {
	for ad.Next() {
		b := ad.Bytes()
		switch ad.Type() {
		case statsBasic:
			if len(b) < 12 {
				return errShort
			}
			s.Bytes = int64(binary.NativeEndian.Uint64(b))
			s.Packets = max(s.Packets, int64(binary.NativeEndian.Uint32(b[8:])))
		case statsPkt64:
			if len(b) < 8 {
				return errShort
			}
			s.Packets = int64(binary.NativeEndian.Uint64(b))
		case statsQueue:
			if len(b) < 20 {
				return errShort
			}
			s.Backlog = int64(binary.NativeEndian.Uint32(b[4:]))
			s.Drops = int64(binary.NativeEndian.Uint32(b[8:]))
			s.Overlimits = int64(binary.NativeEndian.Uint32(b[16:]))
		}
	}
	return nil
}
