package prom

import (
	"time"

	"unchoke/internal/live"
)

// past is what was known of each flow when it was last seen. A flow's own
// counters go from its beginning to its end, and then are gone: what is exported
// is what they grew by.
type past map[string]*figures

// figures are a flow's counters at one time.
type figures struct {
	totals
	seen   time.Time
	closed bool
}

// totals are counters of one flow, or what they grew by.
type totals struct {
	sent, received                  float64 // bytes
	segments, retransmits, needless float64
	timeouts                        float64
	busy, window, buffer            float64 // seconds
	elapsed                         float64 // seconds; of growth alone
}

// forgetAfter is how long a flow may be out of sight, as with a filter on the
// rate. A flow that is seen for the first time and is older is not counted from
// its beginning: it may be one that was forgotten.
const forgetAfter = 10 * time.Minute

func totalsOf(f *live.Flow) totals {
	return totals{
		sent: float64(f.Sent), received: float64(f.Received),
		segments: float64(f.Segments), retransmits: float64(f.Retransmits), needless: float64(f.Spurious),
		timeouts: float64(max(0, f.Timeouts)),
		busy:     f.Busy, window: f.WindowLimited, buffer: f.BufferLimited,
	}
}

// grow is what a flow's counters grew by since it was last seen, or since it
// began where that was seen; first says that the flow was not seen before.
func (p past) grow(f *live.Flow, s *live.Snapshot) (by totals, first bool) {
	now := totalsOf(f)
	was := p[f.ID]
	if was == nil {
		p[f.ID] = &figures{totals: now, seen: s.Time, closed: f.Closed}
		if !f.Whole || f.Age >= forgetAfter.Seconds() {
			return totals{}, true
		}
		now.elapsed = min(f.Age, s.Interval)
		return now, true
	}
	by = now.less(was.totals)
	by.elapsed = max(0, s.Time.Sub(was.seen).Seconds())
	if was.closed {
		by.elapsed = 0
	}
	was.totals, was.seen, was.closed = now.most(was.totals), s.Time, was.closed || f.Closed
	return by, false
}

// less is what each counter is above another. A counter that went back did not
// grow.
func (t totals) less(o totals) totals {
	return t.each(o, func(a, b float64) float64 { return max(0, a-b) })
}

func (t totals) most(o totals) totals {
	return t.each(o, func(a, b float64) float64 { return max(a, b) })
}

func (t totals) each(o totals, f func(a, b float64) float64) totals {
	return totals{
		sent: f(t.sent, o.sent), received: f(t.received, o.received),
		segments: f(t.segments, o.segments), retransmits: f(t.retransmits, o.retransmits), needless: f(t.needless, o.needless),
		timeouts: f(t.timeouts, o.timeouts),
		busy:     f(t.busy, o.busy), window: f(t.window, o.window), buffer: f(t.buffer, o.buffer),
	}
}

// forget drops what is closed and was not shown again, and what has been out of
// sight for long.
func (p past) forget(now time.Time) {
	for id, was := range p {
		unseen := now.Sub(was.seen)
		if was.closed && unseen > 0 || unseen > forgetAfter {
			delete(p, id)
		}
	}
}
