package draw

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// maker draws what is wrong with a line; it may adapt the line, and refuse it.
type maker = func(*rand.Rand, *link) ([]impairment, bool)

func one(x impairment) ([]impairment, bool) { return []impairment{x}, true }

// bucket is a token bucket at the line's rate in front of a wire that is so
// many times faster. Its burst is given in seconds at that rate: configured by
// hand it holds anything from two packets to megabytes.
func bucket(shortest, longest, least, most float64, in ...[]Direction) maker {
	return func(r *rand.Rand, l *link) ([]impairment, bool) {
		ways, faster, seconds := pick(r, in...), between(r, least, most), between(r, shortest, longest)
		return one(impairment{name: "policer", slows: ways, wire: l.faster(ways, faster), apply: func(b *builder) {
			for _, d := range ways {
				b.setIn([]Direction{d}, "policer", rateText(l.rate(d))+":"+sizeText(max(l.rate(d)/8*seconds, 4096)))
			}
		}})
	}
}

// standingQueue holds so many seconds at the line's rate.
func standingQueue(least, most float64, in ...[]Direction) maker {
	return func(r *rand.Rand, l *link) ([]impairment, bool) {
		ways, seconds := pick(r, in...), between(r, least, most)
		return one(impairment{name: "deep-queue", slows: ways, apply: func(b *builder) {
			for _, d := range ways {
				b.setIn([]Direction{d}, "queue", sizeText(max(seconds*l.rate(d)/8, 2*l.queueBytes(d, 1))))
			}
		}})
	}
}

// longQueue is a driver's queue of so many packets, whatever the line's rate.
func longQueue(least, most float64) maker {
	return func(r *rand.Rand, l *link) ([]impairment, bool) {
		packets := math.Round(between(r, least, most))
		if packets*1514 < 2*max(l.queueBytes(Up, 1), l.queueBytes(Down, 1)) {
			return nil, false // no longer than the line's own
		}
		return one(impairment{name: "deep-queue", slows: Both, apply: func(b *builder) {
			b.set("up.queue", fmt.Sprintf("%.0fp", packets))
			b.set("down.queue", fmt.Sprintf("%.0fp", packets))
		}})
	}
}

// packetQueue is a switch's port with so many packets, in both directions or one.
func packetQueue(least, most float64) maker {
	return func(r *rand.Rand, _ *link) ([]impairment, bool) {
		return queueOf(r, int(math.Round(between(r, least, most)))), true
	}
}

// shortQueue is one that holds such a share of the bandwidth-delay product, and
// at least four packets.
func shortQueue(least, most float64) maker {
	return func(r *rand.Rand, l *link) ([]impairment, bool) {
		return queueOf(r, max(int(l.bdp(Down)/1514*between(r, least, most)), 4)), true
	}
}

// managedQueue is a router's AQM.
func managedQueue(in []Direction, kinds ...string) maker {
	return func(r *rand.Rand, _ *link) ([]impairment, bool) {
		kind := pick(r, kinds...)
		return one(impairment{name: "aqm", slows: in, apply: func(b *builder) { b.setIn(in, "queue", kind) }})
	}
}

// ownShaper is what somebody set up on near's card, at the line's rate in front
// of a wire that is so many times faster.
func ownShaper(least, most float64, kinds ...string) maker {
	return func(r *rand.Rand, l *link) ([]impairment, bool) {
		kind := pick(r, kinds...)
		if kind == "tbf" {
			kind += ":" + timeText(pick(r, between(r, 0.004, 0.03), between(r, 0.15, 0.9)))
		}
		return one(shaped(l, Up, between(r, least, most), kind))
	}
}

// farShaper is a hypervisor's token bucket with a queue of such a length, on the
// card of the far host.
func farShaper(least, most, shortest, longest float64) maker {
	return func(r *rand.Rand, l *link) ([]impairment, bool) {
		return one(shaped(l, Down, between(r, least, most), "tbf:"+timeText(between(r, shortest, longest))))
	}
}

func shaped(l *link, d Direction, faster float64, kind string) impairment {
	in := []Direction{d}
	return impairment{name: "sqm", slows: in, wire: l.faster(in, faster), apply: func(b *builder) {
		b.setIn(in, "sqm", rateText(l.rate(d))+":"+kind)
	}}
}

// squeezedReturn is a way back that is so many times narrower than the way
// there, by a queue of some length or an AQM.
func squeezedReturn(least, most float64) maker {
	return func(r *rand.Rand, l *link) ([]impairment, bool) {
		thin := l.down / between(r, least, most)
		if thin < 0.06e6 || thin > 0.6*l.up {
			return nil, false
		}
		queue := pick(r, "fq_codel", "cake", fmt.Sprintf("%dp", 6+r.IntN(60)), sizeText(max(thin/8*between(r, 0.08, 0.8), 8*1514)))
		return one(impairment{
			name: "thin-return", slows: downOnly, ceiling: map[Direction]float64{Up: thin},
			apply: func(b *builder) {
				b.set("up.rate", rateText(thin))
				b.set("up.queue", queue)
			},
		})
	}
}
