package draw

import (
	"fmt"
	"math/rand/v2"
)

// sparseLoss loses single packets, such a share of them.
func sparseLoss(least, most float64, in ...[]Direction) maker {
	return func(r *rand.Rand, _ *link) ([]impairment, bool) {
		ways, loss := pick(r, in...), shareText(between(r, least, most))
		return one(impairment{name: "random-loss", slows: Both, apply: func(b *builder) { b.setIn(ways, "loss", loss) }})
	}
}

// bursts of so many packets come so many times a second while the line is full:
// what disturbs a line goes by time, but the model of Gilbert and Elliott by
// packets.
func bursts(shortest, longest, rarest, oftenest float64, in ...[]Direction) maker {
	return func(r *rand.Rand, l *link) ([]impairment, bool) {
		ways, length, events := pick(r, in...), between(r, shortest, longest), between(r, rarest, oftenest)
		p := events / (l.rate(ways[0]) / 8 / 1514)
		if p < 0.00001 || p*length > 0.2 {
			return nil, false // as good as never, or as good as always
		}
		text := fmt.Sprintf("ge:%s:%s:%s", shareText(p), shareText(1/length), pick(r, "100%", "90%", "60%"))
		return one(impairment{name: "burst-loss", slows: Both, apply: func(b *builder) { b.setIn(ways, "loss", text) }})
	}
}

// impulses take everything that is on the line for some milliseconds, again and
// again: electrical noise that comes with a machine's own period.
func impulses(every, seldom, shortest, longest float64) maker {
	return func(r *rand.Rand, _ *link) ([]impairment, bool) {
		text := fmt.Sprintf("every %s for %s loss=100%%", timeText(between(r, every, seldom)), timeText(between(r, shortest, longest)))
		return one(impairment{name: "impulse-noise", slows: Both, scheduled: true, apply: func(b *builder) { b.set("schedule", text) }})
	}
}

// gaps are times without any connection, often in one direction before the other.
func gaps(every, seldom, shortest, longest float64) maker {
	return func(r *rand.Rand, _ *link) ([]impairment, bool) {
		way := pick(r, "", "", "up.", "down.")
		text := fmt.Sprintf("every %s for %s %sloss=100%%", timeText(between(r, every, seldom)), timeText(between(r, shortest, longest)), way)
		return one(impairment{name: "outage", slows: Both, scheduled: true, apply: func(b *builder) { b.set("schedule", text) }})
	}
}
