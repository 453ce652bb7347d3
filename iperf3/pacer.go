package iperf3

import (
	"math"
	"time"
)

// A pacer decides when packets (or blocks) of one size leave, so that they do
// at even distances: one at each multiple of the interval. A sender that was
// held up catches up at no more than twice its rate; beyond a stall, at once; and
// it leaves out what is too long ago. A pacer knows no clock and never waits;
// its times count from the start of the test.
type pacer struct {
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
	// minGroup packets may always leave together where the gap is below
	// timerGrain.
	minGroup = 4
	// stall is how late a sender may be before it sends what is due without a
	// pause: woken so late every time, it could not keep its rate otherwise.
	stall = 2 * time.Millisecond
	// sendGroup bounds what is handed over in one call then.
	sendGroup = 16
	// maxBacklog is how much a sender that was held up makes good.
	maxBacklog = 50 * time.Millisecond
)

// newPacer paces size bytes each at rate bit/s.
func newPacer(rate int64, size int) *pacer {
	p := &pacer{interval: float64(size) * 8e9 / float64(rate), burst: 1, backlog: float64(maxBacklog)}
	if p.interval < float64(timerGrain) {
		p.burst = max(minGroup, whole(float64(groupSpan)/p.interval))
	}
	p.group = max(p.burst, sendGroup)
	// A single packet is never out of date.
	p.backlog = max(p.backlog, 2*p.interval)
	return p
}

// due returns how many packets are to leave now, and when to ask again if
// there are none.
func (p *pacer) due(now time.Duration) (n int, wake time.Duration) {
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
func (p *pacer) wake() time.Duration {
	return time.Duration(p.next+float64(p.burst-1)*p.interval) + 1 // not a fraction of 1 ns too soon
}

// whole is the integer part of a number of packets. At a rate that no path has,
// as a peer may ask for, there are more than an int holds.
func whole(packets float64) int { return int(min(packets, 1<<30)) }

// sent tells that n packets have left, or a part of one.
func (p *pacer) sent(n float64) { p.next += n * p.interval }
