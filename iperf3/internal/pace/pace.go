// Package pace decides when the packets of a sender with a rate leave. It knows
// no clock and never waits; its times count from the start of the test.
package pace

import (
	"math"
	"time"
)

// A Pacer decides when packets (or blocks) of one size leave, so that they do
// at even distances: one at each multiple of the interval. A sender that was
// held up catches up at no more than twice its rate; beyond a stall, at once; and
// it leaves out what is too long ago.
type Pacer struct {
	interval float64 // ns between packets
	burst    int     // at most so many at once
	group    int     // at most so many at once to catch up
	backlog  float64 // ns: a sender later than this leaves packets out
	next     float64 // ns: when the next packet is due
	earliest float64 // ns: when it may leave, so soon after the last one
	skipped  int64
}

const (
	// timerGrain is how soon after the other a process can be woken twice:
	// with a gap below it, packets leave in small groups.
	timerGrain = 60 * time.Microsecond
	// groupSpan bounds such a group: the packets of this long.
	groupSpan = 100 * time.Microsecond
	// MinGroup packets may always leave together where the gap is below
	// timerGrain.
	MinGroup = 4
	// stall is how late a sender may be before it sends what is due without a
	// pause: woken so late every time, it could not keep its rate otherwise.
	stall = 2 * time.Millisecond
	// sendGroup bounds what is handed over in one call then.
	sendGroup = 16
	// maxBacklog is how much a sender that was held up makes good.
	maxBacklog = 50 * time.Millisecond
)

// New paces packets of size bytes at rate bit/s, the first one at the start of
// the test.
func New(rate int64, size int) *Pacer {
	p := &Pacer{interval: float64(size) * 8e9 / float64(rate), burst: 1, backlog: float64(maxBacklog)}
	if p.interval < float64(timerGrain) {
		p.burst = max(MinGroup, whole(float64(groupSpan)/p.interval))
	}
	p.group = max(p.burst, sendGroup)
	// A single packet is never out of date.
	p.backlog = max(p.backlog, 2*p.interval)
	return p
}

// StartAt lets the first packet leave at that time, rather than at the start.
func (p *Pacer) StartAt(at time.Duration) { p.next = float64(at) }

// Limit lets at most n packets, at least one, leave at once. It returns how many
// Due may say from then on.
func (p *Pacer) Limit(n int) (most int) {
	p.burst, p.group = min(p.burst, n), min(p.group, n)
	return p.group
}

// Due returns how many packets are to leave now, and when to ask again if
// there are none.
func (p *Pacer) Due(now time.Duration) (n int, wake time.Duration) {
	t := float64(now)
	if late := t - p.next; late > p.backlog {
		skip := math.Floor((late - p.backlog) / p.interval)
		p.skipped = int64(min(float64(p.skipped)+skip, 1<<62))
		p.next += skip * p.interval
	}
	if t < p.next {
		return 0, p.wake()
	}
	late := t - p.next
	packets := 1 + whole(late/p.interval)
	if late > float64(stall) {
		return min(packets, p.group), now
	}
	if t < p.earliest {
		return 0, time.Duration(p.earliest) + 1
	}
	n = min(packets, p.burst)
	p.earliest = t + float64(n)*p.interval/2
	return n, now
}

// wake is when the next group is to leave: when its first packet is due where
// packets leave singly, and so much later that the whole group is due where a
// timer could not keep up with them.
func (p *Pacer) wake() time.Duration {
	return time.Duration(p.next+float64(p.burst-1)*p.interval) + 1 // not a fraction of 1 ns too soon
}

// whole is the integer part of a number of packets. At a rate that no path has,
// as a peer may ask for, there are more than an int holds.
func whole(packets float64) int { return int(min(packets, 1<<30)) }

// Skipped is how many packets were left out because their time was too long ago.
func (p *Pacer) Skipped() int64 { return p.skipped }

// Sent tells that n packets have left, or a part of one.
func (p *Pacer) Sent(n float64) { p.next += n * p.interval }
