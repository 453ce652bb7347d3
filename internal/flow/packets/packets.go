// Package packets follows what the headers of a sender's packets say of its data:
// what was sent when, what arrived, what was sent again. It is pure.
package packets

import (
	"sort"
	"time"

	"unchoke/internal/record"
)

const (
	// mergedIn: acknowledgements that come closer than so many microseconds count as
	// one: there are at most five thousand a second.
	mergedIn = 200
	// mostAcks and mostLost are kept; the former take ten seconds at least.
	mostAcks = 60_000
	mostLost = 20_000
	// mostUnacked segments are followed at a time: 1.5 GB.
	mostUnacked = 1 << 20
)

// Sender follows the packets of a connection that sends.
type Sender struct {
	size  int // the most payload of a segment, in bytes
	begun bool
	at    time.Time // of the first packet
	next  uint64    // the sequence number after the highest that was sent
	// unacked are the segments that no acknowledgement covers yet, in their order; some
	// have arrived all the same.
	unacked []segment
	flight  int // bytes that are on their way, as far as known

	out         record.Packets
	first, last int64 // when the acknowledgements came that are the last one kept
}

// segment is one part of the data that was sent. Sequence numbers count on beyond
// 2^32; times are whole microseconds since the first packet, so that no sum of them
// drifts.
type segment struct {
	from, to uint64
	sent     int64
	flight   int // bytes on their way with it
	again    bool
	arrived  bool
}

// Follow begins with a connection whose segments have this much payload, in bytes.
func Follow(segmentSize int) *Sender { return &Sender{size: max(segmentSize, 1)} }

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

// Begun is when the first packet left; the zero time where none did.
func (s *Sender) Begun() time.Time { return s.at }

// Seen is what there was. It is nil where nothing was acknowledged.
func (s *Sender) Seen() *record.Packets {
	if len(s.out.Gap) == 0 {
		return nil
	}
	out := s.out
	out.SegmentSize = s.size
	return &out
}

// long is a sequence number that counts on, from one near it.
func long(near uint64, n uint32) uint64 { return near + uint64(int64(int32(n-uint32(near)))) }

// first is where sequence numbers begin: those before the first packet are above 0.
const first = 1 << 33

func (s *Sender) sent(h *Header) {
	if !s.begun {
		s.begun, s.at = true, h.At
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
		x := &s.unacked[k]
		if x.again || x.arrived {
			continue
		}
		x.again = true
		if len(s.out.LostAt) == mostLost {
			s.out.Cut = true
			return
		}
		s.out.LostAt = append(s.out.LostAt, int32(x.sent))
		s.out.LostAgain = append(s.out.LostAgain, int32(at-x.sent))
		s.out.LostFlight = append(s.out.LostFlight, int32(x.flight))
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
	if a.bytes > 0 {
		s.keep(s.since(h.At), a)
	}
	s.unacked = s.unacked[done:]
}

func (s *Sender) keep(at int64, a arrival) {
	rtt, flight := int32(0), int32(0)
	if a.youngest != nil {
		rtt, flight = int32(at-a.youngest.sent), int32(a.youngest.flight)
	}
	o := &s.out
	if k := len(o.Gap) - 1; k >= 0 && at-s.first < mergedIn {
		o.Gap[k] += int32(at - s.last)
		o.Bytes[k] += int32(a.bytes)
		if rtt > 0 {
			o.RTT[k], o.Flight[k] = rtt, flight
		}
		s.last = at
		return
	}
	if len(o.Gap) == mostAcks {
		o.Cut = true
		return
	}
	o.Gap = append(o.Gap, int32(at-s.last))
	o.Bytes = append(o.Bytes, int32(a.bytes))
	o.RTT, o.Flight = append(o.RTT, rtt), append(o.Flight, flight)
	s.first, s.last = at, at
}

// since is a time in microseconds since the first packet; 0 for one before it, as a
// clock that is set back makes it. Half an hour is the most that columns hold, and
// more than a look takes.
func (s *Sender) since(at time.Time) int64 {
	return min(max(at.Sub(s.at).Microseconds(), 0), 1<<31-1)
}
