package packets

import "sort"

// mostUnacked segments are followed at a time: 1.5 GB.
const mostUnacked = 1 << 20

// Sender follows the packets of a connection at the host that sends.
type Sender struct {
	columns
	next uint64 // the sequence number after the highest that was sent
	// unacked are the segments that no acknowledgement covers yet, in their order; some
	// have arrived all the same.
	unacked []segment
	flight  int // bytes that are on their way, as far as known
}

// segment is one part of the data that was sent.
type segment struct {
	from, to uint64
	sent     int64 // microseconds
	flight   int   // bytes on their way with it
	again    bool
	arrived  bool
}

// Sends begins with a connection whose segments have this much payload, in bytes.
func Sends(segmentSize int) *Sender { return &Sender{columns: columns{size: max(segmentSize, 1)}} }

// Add takes the next packet.
func (s *Sender) Add(h *Header) {
	switch {
	case s.out.Cut:
	case h.Leaves && h.Length > 0:
		s.sent(h)
	case !h.Leaves && h.Acks && s.begun:
		s.answered(h)
	}
}

func (s *Sender) sent(h *Header) {
	if !s.begun {
		s.begin(h.At)
		s.next = first + uint64(h.Sequence)
	}
	from, at := long(s.next, h.Sequence), s.since(h.At)
	to := from + uint64(h.Length)
	s.sentAgain(from, min(to, s.next), at)
	for from = max(from, s.next); from < to && len(s.unacked) < mostUnacked; from = s.next {
		s.next = min(from+uint64(s.size), to)
		s.flight += int(s.next - from)
		s.unacked = append(s.unacked, segment{from: from, to: s.next, sent: at, flight: s.flight})
	}
}

// sentAgain marks what is sent a second time.
func (s *Sender) sentAgain(from, to uint64, at int64) {
	for k := s.find(from); k < len(s.unacked) && s.unacked[k].from < to; k++ {
		if x := &s.unacked[k]; !x.again && !x.arrived {
			x.again = true
			s.lost(x.sent, at-x.sent, x.flight)
		}
	}
}

// find is the first segment that ends after a sequence number.
func (s *Sender) find(from uint64) int {
	return sort.Search(len(s.unacked), func(k int) bool { return s.unacked[k].to > from })
}

// arrival is what one acknowledgement told.
type arrival struct {
	bytes    int
	youngest *segment
}

func (a *arrival) add(s *Sender, x *segment) {
	if x.arrived {
		return
	}
	x.arrived = true
	a.bytes += int(x.to - x.from)
	s.flight -= int(x.to - x.from)
	if !x.again && (a.youngest == nil || x.sent >= a.youngest.sent) {
		a.youngest = x
	}
}

func (s *Sender) answered(h *Header) {
	var a arrival
	ack := long(s.next, h.Ack)
	if ack > s.next {
		return // of what left before, or without being seen
	}
	done := 0
	for ; done < len(s.unacked) && s.unacked[done].to <= ack; done++ {
		a.add(s, &s.unacked[done])
	}
	for i := range h.Blocks {
		from, to := long(s.next, h.Sacked[i][0]), long(s.next, h.Sacked[i][1])
		if to <= ack || to > s.next {
			continue // arrived twice, or nothing of ours
		}
		for k := s.find(from); k < len(s.unacked) && s.unacked[k].to <= to; k++ {
			a.add(s, &s.unacked[k])
		}
	}
	switch at := s.since(h.At); {
	case a.youngest != nil:
		s.arrived(at, a.bytes, at-a.youngest.sent, a.youngest.flight)
	case a.bytes > 0:
		s.arrived(at, a.bytes, 0, 0)
	}
	s.unacked = s.unacked[done:]
}
