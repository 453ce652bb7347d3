package draw

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// policer: the tariff's rate, enforced by a token bucket in front of a faster
// wire. Without it the same rate is enforced by the link's own queue. Bursts
// are from what shows in the field (Flach et al., "An Internet-Wide Analysis of
// Traffic Policing", 2016): some packets to a second at the rate.
func policer(r *rand.Rand, l *link) ([]impairment, bool) {
	in := ways(r)
	faster := between(r, 1.6, 12)
	burst := pick(r, between(r, 8e3, 1e5), between(r, 8e3, 1e5), between(r, 1e5, 1.5e6))
	return []impairment{{name: "policer", slows: in, wire: l.faster(in, faster), apply: func(b *builder) {
		for _, d := range in {
			b.setIn([]Direction{d}, "policer", rateText(l.rate(d))+":"+sizeText(burst))
		}
	}}}, true
}

// deepQueue: a modem or a base station that holds up to seconds of packets;
// counted in bytes, or in packets as drivers do.
func deepQueue(r *rand.Rand, l *link) ([]impairment, bool) {
	in, seconds, counted := ways(r), between(r, 0.08, 1.5), chance(r, 0.35)
	return []impairment{{name: "deep-queue", slows: in, apply: func(b *builder) {
		for _, d := range in {
			bytes := max(seconds*l.rate(d)/8, 2*l.queueBytes(d, 1))
			text := sizeText(bytes)
			if counted {
				text = fmt.Sprintf("%dp", int(math.Ceil(bytes/1514)))
			}
			b.setIn([]Direction{d}, "queue", text)
		}
	}}}, true
}

// shallowQueue: a switch or a cheap router in front of a fast line.
func shallowQueue(r *rand.Rand, l *link) ([]impairment, bool) {
	if l.down < 60e6 {
		return nil, false
	}
	packets := between(r, 8, 110)
	if chance(r, 0.6) {
		packets = max(l.bdp(Down)/1514*between(r, 0.01, 0.2), 5)
	}
	return queueOf(r, int(packets)), true
}

// tinyQueue: a few packets in front of a slow line.
func tinyQueue(r *rand.Rand, l *link) ([]impairment, bool) {
	if l.down > 40e6 {
		return nil, false
	}
	return queueOf(r, 3+r.IntN(6)), true
}

func queueOf(r *rand.Rand, packets int) []impairment {
	in := ways(r)
	return []impairment{{name: "shallow-queue", slows: in, apply: func(b *builder) {
		b.setIn(in, "queue", fmt.Sprintf("%dp", packets))
	}}}
}

// aqm: a router that manages its queue, with the kernel's own parameters.
func aqm(r *rand.Rand, _ *link) ([]impairment, bool) {
	in, kind := ways(r), pick(r, "fq_codel", "fq_codel", "cake", "cake", "codel", "pie")
	return []impairment{{name: "aqm", slows: in, apply: func(b *builder) {
		b.setIn(in, "queue", kind)
	}}}, true
}

// sqm: a shaper on a sending host's own card at the link's rate, which lies
// below the line's as its instructions say; every other time the line is far
// faster. Without it the line has the link's rate, so that the rate itself is
// taken for what the path can carry.
func sqm(r *rand.Rand, l *link) ([]impairment, bool) {
	in := pick(r, []Direction{Up}, []Direction{Up}, Both, []Direction{Down})
	faster := pick(r, 1/between(r, 0.8, 0.97), between(r, 2, 5))
	kind := pick(r, "fq_codel", "fq_codel", "cake", "cake", "tbf")
	if kind == "tbf" {
		kind += ":" + timeText(pick(r, between(r, 0.015, 0.08), between(r, 0.2, 1.2)))
	}
	return []impairment{{name: "sqm", slows: in, wire: l.faster(in, faster), apply: func(b *builder) {
		for _, d := range in {
			b.setIn([]Direction{d}, "sqm", rateText(l.rate(d))+":"+kind)
		}
	}}}, true
}

// thinReturn: a way back that is 30 to 250 times narrower than the way there.
func thinReturn(r *rand.Rand, l *link) ([]impairment, bool) {
	if l.down < 25e6 {
		return nil, false
	}
	l.up = l.down / between(r, 5, 12)
	thin := l.down / between(r, 30, 250)
	if thin < 0.1e6 {
		return nil, false
	}
	queue := between(r, 0.05, 0.4)
	return []impairment{{
		name: "thin-return", slows: []Direction{Down}, ceiling: map[Direction]float64{Up: thin},
		apply: func(b *builder) {
			b.set("up.rate", rateText(thin))
			b.set("up.queue", sizeText(max(thin/8*queue, 10*1514)))
		},
	}}, true
}
