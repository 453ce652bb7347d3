package draw

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// keptDelay varies by such a share of the round-trip time, and no packet
// overtakes another.
func keptDelay(least, most float64, dists []string, in ...[]Direction) maker {
	return func(r *rand.Rand, l *link) ([]impairment, bool) {
		apply := varied(pick(r, in...), max(l.rtt*between(r, least, most), 0.0008), pick(r, dists...), "keep")
		return one(impairment{name: "varying-delay", slows: Both, apply: apply, parts: calmer(apply, l)})
	}
}

// looseDelay varies, and packets overtake each other: several lines, or several
// queues of one device.
func looseDelay(least, most float64, in ...[]Direction) maker {
	return func(r *rand.Rand, l *link) ([]impairment, bool) {
		ways, sigma, dist := pick(r, in...), max(l.rtt*between(r, least, most), 0.0004), pick(r, "uniform", "uniform", "normal")
		free, kept := varied(ways, sigma, dist, "free"), varied(ways, sigma, dist, "keep")
		return one(disordered(free, kept, l))
	}
}

func varied(in []Direction, sigma float64, dist, order string) func(*builder) {
	return func(b *builder) {
		b.setIn(in, "jitter", timeText(sigma))
		b.setIn(in, "dist", dist)
		b.setIn(in, "order", order)
	}
}

// moves from cell to cell, or from satellite to satellite: for some of a second
// the way is so many milliseconds longer, and may lose such a share at most.
func moves(every, seldom, shortest, longest, least, most, loss float64) maker {
	return func(r *rand.Rand, l *link) ([]impairment, bool) {
		text := fmt.Sprintf("every %s for %s rtt=+%s", timeText(between(r, every, seldom)), timeText(between(r, shortest, longest)), timeText(between(r, least, most)/1e3))
		lossy := ""
		if loss > 0 {
			lossy = " loss=" + shareText(between(r, loss/20, loss))
		}
		return one(detour(l, text, lossy))
	}
}

// epochs of so many seconds alternate between two ways of different length.
func epochs(every, long, least, most float64) maker {
	return func(r *rand.Rand, l *link) ([]impairment, bool) {
		return one(detour(l, fmt.Sprintf("every %s for %s rtt=+%s", timeText(every), timeText(long), timeText(between(r, least, most)/1e3)), ""))
	}
}

// detour is a schedule that lengthens the way, and may lose packets then.
func detour(l *link, text, lossy string) impairment {
	apply := func(text string) func(*builder) {
		return func(b *builder) { b.set("schedule", text) }
	}
	x := impairment{name: "handover", slows: Both, scheduled: true, apply: apply(text + lossy)}
	if lossy != "" {
		x.parts = append(x.parts, part{"handover-loss", apply(text)})
	}
	x.parts = append(x.parts, calmer(x.apply, l)...)
	return x
}

// dips of the rate to such a share of the line's for such a share of the time.
// In between the line is so much faster that its mean is what it is without.
func dips(every, seldom, shortest, longest, least, most float64) maker {
	return func(r *rand.Rand, l *link) ([]impairment, bool) {
		period, share, low := between(r, every, seldom), between(r, shortest, longest), between(r, least, most)
		high := (1 - low*share) / (1 - share)
		ways := pick(r, Both, Both, downOnly)
		apply := func(b *builder) {
			words := []string{"every " + timeText(period), "for " + timeText(period*share)}
			for _, d := range ways {
				b.setIn([]Direction{d}, "rate", rateText(high*l.rate(d)))
				words = append(words, fmt.Sprintf("%s.rate=%s", d, rateText(low*l.rate(d))))
			}
			b.set("schedule", strings.Join(words, " "))
		}
		return one(impairment{name: "rate-steps", slows: ways, scheduled: true, apply: apply, parts: calmer(apply, l)})
	}
}
