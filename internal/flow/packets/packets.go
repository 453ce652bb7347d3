// Package packets follows what the headers of a sender's packets say of its data:
// what was sent when, what arrived, what was sent again. It is pure.
package packets

import (
	"sort"
	"time"

	"unchoke/internal/record"
)

const (
	// mergedIn: acknowledgements that come closer than this count as one: there are
	// at most five thousand a second.
	mergedIn = 200 * time.Microsecond
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

	out    record.Packets
	lastAt time.Time // of the last acknowledgement kept, its first
}

// segment is one part of the data that was sent. Sequence numbers count on beyond
// 2^32.
type segment struct {
	from, to uint64
	sent     time.Time
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
		s.begun, s.at, s.lastAt = true, h.At, h.At
		s.next = first + uint64(h.Sequence)
	}
	from := long(s.next, h.Sequence)
	to := from + uint64(h.Length)
	s.sentAgain(from, min(to, s.next), h.At)
	for from = max(from, s.next); from < to && len(s.unacked) < mostUnacked; from = s.next {
		s.next = min(from+uint64(s.size), to)
		s.flight += int(s.next - from)
		s.unacked = append(s.unacked, segment{from: from, to: s.next, sent: h.At, flight: s.flight})
	}
}

// sentAgain marks what is sent a second time.
func (s *Sender) sentAgain(from, to uint64, at time.Time) {
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
		s.out.LostAt = append(s.out.LostAt, micros(x.sent.Sub(s.at)))
		s.out.LostAgain = append(s.out.LostAgain, micros(at.Sub(x.sent)))
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
	if !x.again && (a.youngest == nil || !x.sent.Before(a.youngest.sent)) {
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
		s.keep(h.At, a)
	}
	s.unacked = s.unacked[done:]
}

func (s *Sender) keep(at time.Time, a arrival) {
	rtt, flight := int32(0), int32(0)
	if a.youngest != nil {
		rtt, flight = micros(at.Sub(a.youngest.sent)), int32(a.youngest.flight)
	}
	o := &s.out
	last := len(o.Gap) - 1
	if last >= 0 && at.Sub(s.lastAt) < mergedIn {
		o.Bytes[last] += int32(a.bytes)
		if rtt > 0 {
			o.RTT[last], o.Flight[last] = rtt, flight
		}
		return
	}
	if len(o.Gap) == mostAcks {
		o.Cut = true
		return
	}
	o.Gap = append(o.Gap, micros(at.Sub(s.lastAt)))
	o.Bytes = append(o.Bytes, int32(a.bytes))
	o.RTT, o.Flight = append(o.RTT, rtt), append(o.Flight, flight)
	s.lastAt = at
}

func micros(d time.Duration) int32 { return int32(min(max(d.Microseconds(), 0), 1<<31-1)) }
