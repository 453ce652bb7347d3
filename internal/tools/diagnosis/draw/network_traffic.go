package draw

import (
	"fmt"
	"math/rand/v2"
)

// beside is other traffic in one direction, of one of these kinds.
func beside(d Direction, kinds ...load) fault {
	return func(r *rand.Rand, l *link) (impairment, bool) {
		text := pick(r, kinds...)(r, l.rate(d))
		return impairment{
			name: "cross", slows: Both, as: map[Direction]string{d.Other(): "cross-return"},
			apply: func(b *builder) { b.setIn([]Direction{d}, "cross", text) },
		}, true
	}
}

// load is other traffic on a line of such a rate in bit/s, in the path language.
type load func(*rand.Rand, float64) string

// backup is one client that uploads to a cloud.
func backup(r *rand.Rand, _ float64) string {
	return pick(r, "1xcubic", "1xcubic", "2xcubic", "4xcubic", "1xbbr")
}

// game is a launcher that downloads over many streams.
func game(r *rand.Rand, _ float64) string { return fmt.Sprintf("%dxcubic", 6+r.IntN(15)) }

// update is a system's update, over a stream or two.
func update(r *rand.Rand, _ float64) string { return pick(r, "1xcubic", "2xcubic", "2xbbr") }

// calls are conferences and cameras: UDP at a steady rate, a part of the line's.
func calls(r *rand.Rand, rate float64) string { return rateText(rate * between(r, 0.1, 0.5)) }

// evening is what the neighbours in the cell or the segment do at nine o'clock.
func evening(r *rand.Rand, rate float64) string {
	return fmt.Sprintf("%dxcubic+%s", 2+r.IntN(9), rateText(rate*between(r, 0.1, 0.4)))
}

// video is a player that fetches a segment over a stream or two, every few
// seconds for a part of them.
func video(r *rand.Rand, l *link) (impairment, bool) {
	every, share, by := between(r, 4, 10), between(r, 0.25, 0.7), pick(r, "1xbbr", "2xbbr", "2xcubic", "1xcubic")
	text := fmt.Sprintf("every %s for %s down.cross=%s", timeText(every), timeText(every*share), by)
	return impairment{
		name: "cross", slows: Both, as: map[Direction]string{Up: "cross-return"}, scheduled: true,
		apply: func(b *builder) { b.set("schedule", text) },
	}, l.down < 150e6
}
