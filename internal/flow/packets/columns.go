package packets

import (
	"time"

	"unchoke/internal/record"
)

const (
	// mergedIn: arrivals that come closer than so many microseconds count as one:
	// there are at most five thousand a second.
	mergedIn = 200
	// mostArrivals and mostLost are kept; the former take ten seconds at least.
	mostArrivals = 60_000
	mostLost     = 20_000
)

// columns gather what a record keeps. Times are whole microseconds since the first
// packet, so that no sum of them drifts.
type columns struct {
	size int // the most payload of a segment, in bytes

	begun       bool
	at          time.Time // of the first packet
	out         record.Packets
	first, last int64 // when those came that are the last arrival kept
}

// begin with the first packet.
func (c *columns) begin(at time.Time) { c.begun, c.at = true, at }

// Begun is when the first packet left or came; the zero time where none did.
func (c *columns) Begun() time.Time { return c.at }

// Seen is what there was. It is nil where nothing arrived.
func (c *columns) Seen() *record.Packets {
	if len(c.out.Gap) == 0 {
		return nil
	}
	out := c.out
	out.SegmentSize = c.size
	return &out
}

// since is a time in microseconds since the first packet; 0 for one before it, as a
// clock that is set back makes it. Half an hour is the most that columns hold, and
// more than a look takes.
func (c *columns) since(at time.Time) int64 {
	return min(max(at.Sub(c.at).Microseconds(), 0), 1<<31-1)
}

// arrived keeps an arrival; an RTT of 0 is not known.
func (c *columns) arrived(at int64, bytes int, rtt int64, flight int) {
	o := &c.out
	if k := len(o.Gap) - 1; k >= 0 && at-c.first < mergedIn {
		o.Gap[k] += int32(at - c.last)
		o.Bytes[k] += int32(bytes)
		if rtt > 0 {
			o.RTT[k], o.Flight[k] = int32(rtt), int32(flight)
		}
		c.last = at
		return
	}
	if len(o.Gap) == mostArrivals {
		o.Cut = true
		return
	}
	o.Gap = append(o.Gap, int32(at-c.last))
	o.Bytes = append(o.Bytes, int32(bytes))
	o.RTT, o.Flight = append(o.RTT, int32(rtt)), append(o.Flight, int32(flight))
	c.first, c.last = at, at
}

// lost keeps a segment that was sent at one time, and again so long after.
func (c *columns) lost(sent, after int64, flight int) {
	o := &c.out
	if len(o.LostAt) == mostLost {
		o.Cut = true
		return
	}
	o.LostAt = append(o.LostAt, int32(sent))
	o.LostAgain = append(o.LostAgain, int32(after))
	o.LostFlight = append(o.LostFlight, int32(flight))
}

// long is a sequence number that counts on beyond 2^32, from one near it.
func long(near uint64, n uint32) uint64 { return near + uint64(int64(int32(n-uint32(near)))) }

// first is where sequence numbers begin: those before the first packet are above 0.
const first = 1 << 33
