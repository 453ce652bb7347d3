package draw

import (
	"fmt"
	"math/rand/v2"
)

// noise loses such a share in percent, packet by packet.
func noise(least, most float64, in ...[]Direction) fault {
	return func(r *rand.Rand, _ *link) (impairment, bool) {
		ways, share := pick(r, in...), shareText(between(r, least, most)/100)
		return impairment{name: "random-loss", slows: ways, apply: func(b *builder) { b.setIn(ways, "loss", share) }}, true
	}
}

// fades lose such a share in percent, in bursts of 3 to 40 packets of which
// half or all are lost (Gilbert and Elliott's model).
func fades(least, most float64, in ...[]Direction) fault {
	return func(r *rand.Rand, _ *link) (impairment, bool) {
		ways, mean, length, lost := pick(r, in...), between(r, least, most)/100, between(r, 3, 40), between(r, 0.5, 1)
		// The share of time in the bad state is P/(P+R), and R is 1/length.
		bad := mean / lost
		text := fmt.Sprintf("ge:%s:%s:%s", shareText(bad/(1-bad)/length), shareText(1/length), shareText(lost))
		return impairment{name: "burst-loss", slows: ways, apply: func(b *builder) { b.setIn(ways, "loss", text) }}, true
	}
}

// copperNoise comes in impulses: for some milliseconds all is lost, again and
// again.
func copperNoise(every, lasts span) fault {
	return func(r *rand.Rand, _ *link) (impairment, bool) {
		way := pick(r, "", "down.", "up.")
		text := fmt.Sprintf("every %s for %s %sloss=100%%", timeText(every.draw(r)), timeText(lasts.draw(r)/1e3), way)
		ways := map[string][]Direction{"": Both, "up.": upOnly, "down.": downOnly}[way]
		return impairment{name: "impulse-noise", slows: ways, scheduled: true, apply: func(b *builder) { b.set("schedule", text) }}, true
	}
}
