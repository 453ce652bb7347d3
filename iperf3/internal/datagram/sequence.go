package datagram

import "time"

const (
	// seenWindow is how far back, in packets, a duplicate is told from one
	// that comes late.
	seenWindow = 1 << 13
	// maxJump is the longest run of lost packets that is believed. A number
	// beyond it is no sequence number: 2^28 packets are 2 s of 1 Tbit/s.
	maxJump = 1 << 28
)

// A Sequence accounts for the datagrams that arrive: which are lost, late or
// doubled, and the jitter of their transit times. The zero value has seen none.
type Sequence struct {
	Highest    uint64 // sequence number
	Bytes      int64  // payload of different packets
	Reordered  int64
	Duplicates int64
	Malformed  int64 // datagrams that are none of iperf3's

	arrived int64 // different packets

	jitter     float64 // s
	transit    time.Duration
	hasTransit bool

	seen [seenWindow / 64]uint64 // bit seq mod seenWindow, of the last seenWindow numbers
}

// Arrived is how many different packets have.
func (s *Sequence) Arrived() int64 { return s.arrived }

// Lost is how many packets up to the highest number have not arrived.
func (s *Sequence) Lost() int64 { return int64(s.Highest) - s.arrived }

// Add accounts for one datagram of size bytes and tells whether it is new.
func (s *Sequence) Add(h Header, size int, arrived time.Duration) bool {
	switch {
	case h.Seq > s.Highest+maxJump:
		s.Malformed++
		return false
	case h.Seq > s.Highest:
		s.forget(h.Seq)
		s.Highest = h.Seq
	case s.Highest-h.Seq >= seenWindow || !s.isSeen(h.Seq):
		s.Reordered++
	default:
		s.Duplicates++
		return false
	}
	if s.Highest-h.Seq < seenWindow { // an older one's place is a newer one's
		s.seen[h.Seq%seenWindow/64] |= 1 << (h.Seq % 64)
	}
	s.arrived++
	s.Bytes += int64(size)
	s.addTransit(arrived - h.Sent)
	return true
}

func (s *Sequence) isSeen(seq uint64) bool {
	return s.seen[seq%seenWindow/64]&(1<<(seq%64)) != 0
}

// forget clears the marks of the numbers from Highest+1 to seq, whose places
// hold those of a window ago.
func (s *Sequence) forget(seq uint64) {
	if seq-s.Highest >= seenWindow {
		clear(s.seen[:])
		return
	}
	for n := s.Highest + 1; n <= seq; n++ {
		s.seen[n%seenWindow/64] &^= 1 << (n % 64)
	}
}

// addTransit is RFC 3550 §6.4.1, with the variation of transit times in
// seconds; the clocks' offset cancels out.
func (s *Sequence) addTransit(transit time.Duration) {
	if s.hasTransit {
		d := (transit - s.transit).Seconds()
		s.jitter += (max(d, -d) - s.jitter) / 16
	}
	s.transit, s.hasTransit = transit, true
}

// Jitter is the estimate of RFC 3550 §6.4.1, by the transit times of new packets
// since the last ResetJitter.
func (s *Sequence) Jitter() time.Duration { return time.Duration(s.jitter * float64(time.Second)) }

// ResetJitter starts the jitter anew, at the end of the omitted part.
func (s *Sequence) ResetJitter() { s.jitter, s.hasTransit = 0, false }
