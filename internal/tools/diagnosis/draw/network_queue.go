package draw

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// frame is a full Ethernet frame in bytes, as queues count it.
const frame = 1514

// mostMemory is what modems and base stations have for one subscriber, in bytes.
const mostMemory = 8 << 20

// modemBuffer holds so many seconds at the line's rate, far more than it needs.
func modemBuffer(ways []Direction, least, most float64) fault {
	return func(r *rand.Rand, l *link) (impairment, bool) {
		seconds, deep := between(r, least, most), true
		for _, d := range ways {
			deep = deep && min(seconds*l.rate(d)/8, mostMemory) > 2*l.queueBytes(d, 1)
		}
		return impairment{name: "deep-queue", slows: ways, apply: func(b *builder) {
			for _, d := range ways {
				b.setIn([]Direction{d}, "queue", sizeText(min(seconds*l.rate(d)/8, mostMemory)))
			}
		}}, deep
	}
}

// driverBuffer is a driver's queue of 256, 512 or 1000 packets before an uplink
// that takes long to send them.
func driverBuffer(r *rand.Rand, l *link) (impairment, bool) {
	packets := pick(r, 256, 512, 1000, 1000, 1000)
	return impairment{name: "deep-queue", slows: upOnly, apply: func(b *builder) {
		b.set("up.queue", fmt.Sprintf("%dp", packets))
	}}, float64(packets*frame) > 2*l.queueBytes(Up, 1)
}

// switchBuffer is a port's share of a switch's memory, in packets, where the
// path needs more.
func switchBuffer(least, most float64, in ...[]Direction) fault {
	return func(r *rand.Rand, l *link) (impairment, bool) {
		ways, packets := pick(r, in...), math.Round(between(r, least, most))
		fits := true
		for _, d := range ways {
			fits = fits && packets*frame < 0.7*l.queueBytes(d, 1)
		}
		return impairment{name: "shallow-queue", slows: ways, apply: func(b *builder) {
			b.setIn(ways, "queue", fmt.Sprintf("%.0fp", packets))
		}}, fits
	}
}

// managed is an AQM in the modem, the router or the base station.
func managed(ways []Direction, kinds ...string) fault {
	return func(r *rand.Rand, _ *link) (impairment, bool) {
		kind := pick(r, kinds...)
		return impairment{name: "aqm", slows: ways, apply: func(b *builder) { b.setIn(ways, "queue", kind) }}, true
	}
}

// tariffPolicer enforces the tariff by dropping, before a wire so many times
// faster. Its burst is seconds at the rate: vendors' guides say from 5 ms to 1.5 s.
func tariffPolicer(least, most, slow, fast float64, in ...[]Direction) fault {
	return func(r *rand.Rand, l *link) (impairment, bool) {
		ways, seconds, faster := pick(r, in...), between(r, least, most), between(r, slow, fast)
		return impairment{name: "policer", slows: ways, wire: l.faster(ways, faster), apply: func(b *builder) {
			for _, d := range ways {
				burst := max(l.rate(d)/8*seconds, 5*frame)
				b.setIn([]Direction{d}, "policer", rateText(l.rate(d))+":"+sizeText(burst))
			}
		}}, true
	}
}

// ownShaping is what a host's card shapes itself to, at such a share of what
// the wire behind it could carry.
func ownShaping(d Direction, least, most float64, kinds ...string) fault {
	return func(r *rand.Rand, l *link) (impairment, bool) {
		kind, share := pick(r, kinds...), between(r, least, most)
		if kind == "tbf" {
			kind += ":" + timeText(pick(r, 0.05, 0.05, 0.1, 0.2, 0.4, 0.05*between(r, 0.2, 1)))
		}
		in := []Direction{d}
		return impairment{name: "sqm", slows: in, wire: l.faster(in, 1/share), apply: func(b *builder) {
			b.setIn(in, "sqm", rateText(l.rate(d))+":"+kind)
		}}, true
	}
}

// thinUplink is one that lost most of its rate: bonded channels that failed, a
// radio at the edge of its cell, an old tariff. Downloads have their
// acknowledgements there.
func thinUplink(least, most, shortest, longest float64) fault {
	return func(r *rand.Rand, l *link) (impairment, bool) {
		thin := between(r, least, most) * 1e6
		queue := pick(r, "fq_codel", "cake", "100p", sizeText(max(thin/8*between(r, shortest, longest), 8*frame)))
		return impairment{
			name: "thin-return", slows: downOnly, ceiling: map[Direction]float64{Up: thin},
			apply: func(b *builder) {
				b.set("up.rate", rateText(thin))
				b.set("up.queue", queue)
			},
		}, thin < 0.5*l.up
	}
}
