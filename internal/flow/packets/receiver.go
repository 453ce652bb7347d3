package packets

import (
	"slices"
	"sort"
)

const (
	mostHoles   = 4096
	mostAnswers = 1 << 16
)

// Receiver follows the packets of a connection at the host that receives.
type Receiver struct {
	columns
	next  uint64 // the sequence number after the highest that arrived
	holes []hole // before next, in their order
	// answers are this host's, by their time stamps, in their order.
	answers []answer
	// The last packet whose round trip is known: when what it answers left this host,
	// and how many bytes were on their way with it.
	left   int64
	flight int
}

// hole is what did not arrive when something after it did.
type hole struct {
	from, to uint64
	seen     int64  // microseconds
	stamp    uint32 // the peer's clock, of the packet that came after it
	left     int64  // as Receiver.left, of the packet before it
	flight   int
}

// answer is an acknowledgement that left this host.
type answer struct {
	stamp uint32
	at    int64 // microseconds
	ack   uint64
}

// Receives begins with a connection whose segments have this much payload, in bytes.
func Receives(segmentSize int) *Receiver {
	return &Receiver{columns: columns{size: max(segmentSize, 1)}}
}

// Add takes the next packet.
func (r *Receiver) Add(h *Header) {
	switch {
	case r.out.Cut:
	case !h.Leaves && h.Length > 0:
		r.came(h)
	case h.Leaves && h.Acks && h.Stamped && r.begun:
		r.answered(h)
	}
}

// answered keeps the first acknowledgement of each tick of this host's clock.
func (r *Receiver) answered(h *Header) {
	if n := len(r.answers); n > 0 && int32(h.Stamp-r.answers[n-1].stamp) <= 0 {
		return
	}
	if len(r.answers) == mostAnswers {
		r.answers = slices.Delete(r.answers, 0, mostAnswers/2)
	}
	r.answers = append(r.answers, answer{h.Stamp, r.since(h.At), long(r.next, h.Ack)})
}

// answer is what a packet answers, by the time stamp that it echoes.
func (r *Receiver) answer(h *Header) (answer, bool) {
	if !h.Stamped {
		return answer{}, false
	}
	k := sort.Search(len(r.answers), func(k int) bool { return int32(r.answers[k].stamp-h.Echo) >= 0 })
	if k == len(r.answers) || r.answers[k].stamp != h.Echo {
		return answer{}, false
	}
	return r.answers[k], true
}

func (r *Receiver) came(h *Header) {
	if !r.begun {
		r.begin(h.At)
		r.next = first + uint64(h.Sequence)
	}
	at, from := r.since(h.At), long(r.next, h.Sequence)
	to := from + uint64(h.Length)
	bytes := r.fill(from, min(to, r.next), h, at)
	if to <= r.next {
		if bytes > 0 {
			r.arrived(at, bytes, 0, 0)
		}
		return
	}
	if from > r.next && len(r.holes) < mostHoles {
		r.holes = append(r.holes, hole{from: r.next, to: from, seen: at, stamp: h.Stamp, left: r.left, flight: r.flight})
	}
	bytes += int(to - max(from, r.next))
	r.next = to
	a, ok := r.answer(h)
	if !ok || to < a.ack {
		r.arrived(at, bytes, 0, 0)
		return
	}
	r.left, r.flight = a.at, int(to-a.ack)
	r.arrived(at, bytes, max(at-a.at, 1), r.flight)
}

// fill takes out of the holes what arrives late, and says how many bytes that is. What
// left after the packet that came after the hole was sent again: the one before was
// lost. What left before was overtaken.
func (r *Receiver) fill(from, to uint64, h *Header, at int64) (bytes int) {
	if from >= to {
		return 0
	}
	var rest []hole
	for _, x := range r.holes {
		begin, end := max(from, x.from), min(to, x.to)
		if begin >= end {
			rest = append(rest, x)
			continue
		}
		bytes += int(end - begin)
		if h.Stamped && int32(h.Stamp-x.stamp) > 0 {
			for range (int(end-begin) + r.size - 1) / r.size {
				r.lost(x.left, at-x.seen, x.flight+r.size)
			}
		}
		if x.from < begin {
			before := x
			before.to = begin
			rest = append(rest, before)
		}
		if end < x.to {
			after := x
			after.from = end
			rest = append(rest, after)
		}
	}
	r.holes = rest
	return bytes
}
