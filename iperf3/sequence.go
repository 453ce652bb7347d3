package iperf3

import (
	"encoding/binary"
	"time"
)

// A UDP datagram of a test begins with the sender's clock, in seconds and
// microseconds, and its sequence number from 1: 32 or 64 bits, big-endian.
const (
	headerSize32 = 12
	headerSize64 = 16
)

type header struct {
	sent time.Duration // the sender's clock
	seq  uint64
}

func (h header) put(p []byte, wide bool) {
	binary.BigEndian.PutUint32(p, uint32(h.sent/time.Second))
	binary.BigEndian.PutUint32(p[4:], uint32(h.sent%time.Second/time.Microsecond))
	if wide {
		binary.BigEndian.PutUint64(p[8:], h.seq)
	} else {
		binary.BigEndian.PutUint32(p[8:], uint32(h.seq))
	}
}

// parseHeader reads the header of a datagram; ok is false for one that no
// iperf3 sends: too short, or numbered 0.
func parseHeader(p []byte, wide bool) (h header, ok bool) {
	if len(p) < headerSize32 || wide && len(p) < headerSize64 {
		return header{}, false
	}
	h.sent = time.Duration(binary.BigEndian.Uint32(p))*time.Second +
		time.Duration(binary.BigEndian.Uint32(p[4:]))*time.Microsecond
	if wide {
		h.seq = binary.BigEndian.Uint64(p[8:])
	} else {
		h.seq = uint64(binary.BigEndian.Uint32(p[8:]))
	}
	return h, h.seq != 0
}

const (
	// seenWindow is how far back, in packets, a duplicate is told from one
	// that comes late.
	seenWindow = 1 << 13
	// maxJump is the longest run of lost packets that is believed. A number
	// beyond it is no sequence number: 2^28 packets are 2 s of 1 Tbit/s.
	maxJump = 1 << 28
)

// A sequence accounts for the datagrams that arrive: which are lost, late or
// doubled, and the jitter of their transit times.
type sequence struct {
	highest    uint64
	arrived    int64 // different packets
	bytes      int64 // their payload
	reordered  int64
	duplicates int64
	malformed  int64

	jitter     float64 // s
	transit    time.Duration
	hasTransit bool

	seen [seenWindow / 64]uint64 // bit seq mod seenWindow, of the last seenWindow numbers
}

// lost is how many packets up to the highest number have not arrived.
func (s *sequence) lost() int64 { return int64(s.highest) - s.arrived }

// add accounts for one datagram of size bytes and tells whether it is new.
func (s *sequence) add(h header, size int, arrived time.Duration) bool {
	switch {
	case h.seq > s.highest+maxJump:
		s.malformed++
		return false
	case h.seq > s.highest:
		s.forget(h.seq)
		s.highest = h.seq
	case s.highest-h.seq >= seenWindow || !s.isSeen(h.seq):
		s.reordered++
	default:
		s.duplicates++
		return false
	}
	s.seen[h.seq%seenWindow/64] |= 1 << (h.seq % 64)
	s.arrived++
	s.bytes += int64(size)
	s.addTransit(arrived - h.sent)
	return true
}

func (s *sequence) isSeen(seq uint64) bool {
	return s.seen[seq%seenWindow/64]&(1<<(seq%64)) != 0
}

// forget clears the marks of the numbers from highest+1 to seq, whose places
// hold those of a window ago.
func (s *sequence) forget(seq uint64) {
	if seq-s.highest >= seenWindow {
		clear(s.seen[:])
		return
	}
	for n := s.highest + 1; n <= seq; n++ {
		s.seen[n%seenWindow/64] &^= 1 << (n % 64)
	}
}

// addTransit is RFC 3550 §6.4.1, with the variation of transit times in
// seconds; the clocks' offset cancels out.
func (s *sequence) addTransit(transit time.Duration) {
	if s.hasTransit {
		d := (transit - s.transit).Seconds()
		s.jitter += (max(d, -d) - s.jitter) / 16
	}
	s.transit, s.hasTransit = transit, true
}

// resetJitter starts the jitter anew, at the end of the omitted part.
func (s *sequence) resetJitter() { s.jitter, s.hasTransit = 0, false }
