package draw

import (
	"math/rand/v2"
	"strconv"
)

// link is a path without impairments: a round-trip time, a bottleneck in each
// direction and a queue that suits it.
type link struct {
	kind     string
	rtt      float64 // s
	up, down float64 // bit/s, as tc counts frames
	queue    float64 // s that a full queue takes to drain
	tunnel   string
	bbr      bool // both hosts use BBR
	// Of the hand Places: each host's own congestion control and whether both
	// ask for ECN, where not the kernel's, and the underlay's MTU in bytes.
	nearCC, farCC string
	ecn           bool
	mtu           int
}

func (l link) rate(d Direction) float64 {
	if d == Up {
		return l.up
	}
	return l.down
}

// bdp of the direction in bytes.
func (l link) bdp(d Direction) float64 { return l.rate(d) / 8 * l.rtt }

// The kinds of access that users have. Rates are those of common tariffs; times
// are to a server on the same continent unless it is an ocean. What is faster
// than some 150 Mbit/s is left out: the lab passes some 15 MB of stock iperf3
// in a second of CPU, and what slows a stream down goes by packets a round trip
// rather than by the rate.
var linkKinds = map[string]func(*rand.Rand) link{
	"fibre": func(r *rand.Rand) link {
		down := between(r, 18, 150)
		return link{rtt: between(r, 4, 40), down: down, up: down * pick(r, 1, 1, 0.5, 0.25)}
	},
	"cable": func(r *rand.Rand) link { // DOCSIS 3.0/3.1 with its narrow return channel
		down := between(r, 16, 120)
		return link{rtt: between(r, 12, 50), down: down, up: max(down*between(r, 0.08, 0.3), 3)}
	},
	"dsl": func(r *rand.Rand) link { // ADSL2+ to vectored VDSL2
		down := between(r, 4, 60)
		return link{rtt: between(r, 14, 50), down: down, up: down * between(r, 0.1, 0.4)}
	},
	"ocean": func(r *rand.Rand) link { // a VPS on another continent
		down := between(r, 8, 110)
		return link{rtt: between(r, 75, 280), down: down, up: down * pick(r, 1, 1, 0.4)}
	},
	"lte": func(r *rand.Rand) link {
		down := between(r, 4, 70)
		return link{rtt: between(r, 28, 90), down: down, up: down * between(r, 0.15, 0.5)}
	},
	"starlink": func(r *rand.Rand) link {
		return link{rtt: between(r, 25, 65), down: between(r, 25, 130), up: between(r, 5, 22)}
	},
	"geostationary": func(r *rand.Rand) link {
		return link{rtt: between(r, 560, 680), down: between(r, 6, 40), up: between(r, 2, 6)}
	},
	"wifi": func(r *rand.Rand) link { // to a server in the same building
		rate := between(r, 12, 130)
		return link{rtt: between(r, 2, 9), down: rate, up: rate * pick(r, 1, 0.8, 0.6)}
	},
	"transit": func(r *rand.Rand) link { // between points of presence
		rate := between(r, 30, 160)
		return link{rtt: between(r, 8, 90), down: rate, up: rate}
	},
	"fast": func(r *rand.Rand) link { // a port of a gigabit, shaped
		rate := between(r, 80, 280)
		return link{rtt: between(r, 12, 150), down: rate, up: rate * pick(r, 1, 1, 0.25)}
	},
}

// inSI is a link of a kind that is told in ms and Mbit/s, in SI units.
func (l link) inSI(kind string) link {
	l.kind = kind
	l.rtt /= 1e3
	l.up *= 1e6
	l.down *= 1e6
	return l
}

// drawLink draws one of the kinds, in a tunnel every other time. One pair of
// hosts in ten already uses BBR.
func drawLink(r *rand.Rand, kinds ...string) link {
	kind := pick(r, kinds...)
	l := linkKinds[kind](r).inSI(kind)
	l.up = max(l.up, 0.8e6)
	// Enough for CUBIC to fill the path after it backed off (0.43 of the
	// bandwidth-delay product, RFC 9438 §4.6 with β = 0.7), at most what
	// vendors take for a short queue.
	l.queue = min(max(l.rtt*between(r, 0.5, 1), 0.010), 0.085)
	if chance(r, 0.5) {
		l.tunnel = pick(r, "wireguard", "wireguard", "wireguard", "gre", "ip6gre")
	}
	l.bbr = chance(r, 0.1)
	return l
}

// A queue holds at least a sender's usual bursts, unless the line is so slow
// that these would stand in it for long.
const leastQueue = 20 * 1514

func (l link) apply(b *builder) {
	b.set("rtt", timeText(l.rtt))
	for _, d := range Both {
		l.line(b, d, 1)
	}
	b.set("tunnel", l.tunnel)
	if l.mtu > 0 {
		b.set("mtu", strconv.Itoa(l.mtu))
	}
	l.hosts(b)
}

const (
	congestionControl = "net.ipv4.tcp_congestion_control"
	askForECN         = "net.ipv4.tcp_ecn"
)

func (l link) hosts(b *builder) {
	if l.bbr {
		l.nearCC, l.farCC = "bbr", "bbr"
	}
	if l.nearCC != "" {
		b.near[congestionControl] = l.nearCC
	}
	if l.farCC != "" {
		b.far[congestionControl] = l.farCC
	}
	if l.ecn {
		b.near[askForECN], b.far[askForECN] = "1", "1"
	}
}

// line sets the wire's rate in a direction to a multiple of the link's, with a
// queue to suit.
func (l link) line(b *builder, d Direction, faster float64) {
	b.setIn([]Direction{d}, "rate", rateText(l.wire(d, faster)))
	b.setIn([]Direction{d}, "queue", sizeText(l.queueBytes(d, faster)))
}

// wire is a rate in bit/s that the lab surely keeps to.
func (l link) wire(d Direction, faster float64) float64 { return min(l.rate(d)*faster, 1e9) }

func (l link) queueBytes(d Direction, faster float64) float64 {
	rate := l.wire(d, faster) / 8
	return max(rate*l.queue, min(leastQueue, rate*0.06), 4*1514)
}

// faster makes the wire that much faster in some directions.
func (l *link) faster(in []Direction, times float64) func(*builder) {
	return func(b *builder) {
		for _, d := range in {
			l.line(b, d, times)
		}
	}
}
