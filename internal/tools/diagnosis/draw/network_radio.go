package draw

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// unsteady delay of so many milliseconds, as radio has that sends again and
// waits for its turn: packets keep their order.
func unsteady(least, most float64, in ...[]Direction) fault {
	return func(r *rand.Rand, l *link) (impairment, bool) {
		apply := varied(pick(r, in...), between(r, least, most)/1e3, pick(r, "paretonormal", "paretonormal", "pareto", "normal"), "keep")
		return impairment{name: "varying-delay", slows: Both, apply: apply, parts: calmer(apply, l)}, true
	}
}

// bonded lines of different length, or balanced packet by packet: packets
// overtake each other by some milliseconds.
func bonded(least, most float64, in ...[]Direction) fault {
	return func(r *rand.Rand, l *link) (impairment, bool) {
		ways, sigma, dist := pick(r, in...), between(r, least, most)/1e3, pick(r, "uniform", "normal")
		free, kept := varied(ways, sigma, dist, "free"), varied(ways, sigma, dist, "keep")
		return disordered(free, kept, l), true
	}
}

// span is what a figure lies between.
type span struct{ least, most float64 }

func (s span) draw(r *rand.Rand) float64 { return between(r, s.least, s.most) }

// cellChange comes every so many seconds: for so many milliseconds the way is
// so many longer, less steady, and every other one loses such a share.
func cellChange(every, lasts, longer, loss span) fault {
	return func(r *rand.Rand, l *link) (impairment, bool) {
		text := fmt.Sprintf("every %s for %s rtt=+%s", timeText(every.draw(r)), timeText(lasts.draw(r)/1e3), timeText(longer.draw(r)/1e3))
		if chance(r, 0.5) {
			text += " jitter=" + timeText(longer.draw(r)/4e3)
		}
		lossy := ""
		if chance(r, 0.5) {
			lossy = " loss=" + shareText(loss.draw(r))
		}
		return detour(l, text, lossy), true
	}
}

// dropouts in which nothing arrives, every so many seconds for so many
// milliseconds: a client that roams, a radar that clears a channel.
func dropouts(every, lasts span) fault {
	return func(r *rand.Rand, _ *link) (impairment, bool) {
		text := fmt.Sprintf("every %s for %s loss=100%%", timeText(every.draw(r)), timeText(lasts.draw(r)/1e3))
		return impairment{name: "outage", slows: Both, scheduled: true, apply: func(b *builder) { b.set("schedule", text) }}, true
	}
}

// movingRate has three values: a usual one, and two that come at intervals of
// their own, so that no period is alike. The mean is the line's rate, which it
// has all the time without this.
func movingRate(every span, in ...[]Direction) fault {
	return func(r *rand.Rand, l *link) (impairment, bool) {
		ways := pick(r, in...)
		some, few := between(r, 0.2, 0.5), between(r, 0.1, 0.3) // of the time
		less, least := between(r, 0.4, 0.9), between(r, 0.15, 0.5)
		usual := (1 - few*least - some*(1-few)*less) / ((1 - few) * (1 - some))
		first, second := every.draw(r), every.draw(r)
		steps := []string{
			"every " + timeText(first) + " for " + timeText(first*some),
			"every " + timeText(second) + " for " + timeText(second*few),
		}
		for _, d := range ways {
			steps[0] += fmt.Sprintf(" %s.rate=%s", d, rateText(less*l.rate(d)))
			steps[1] += fmt.Sprintf(" %s.rate=%s", d, rateText(least*l.rate(d)))
		}
		apply := func(b *builder) {
			for _, d := range ways {
				b.setIn([]Direction{d}, "rate", rateText(usual*l.rate(d)))
			}
			b.set("schedule", strings.Join(steps, "; "))
		}
		return impairment{name: "rate-steps", slows: ways, scheduled: true, apply: apply, parts: calmer(apply, l)}, true
	}
}
