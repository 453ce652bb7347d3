package draw

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// neighbours send through the same bottleneck, one of these loads. A load that
// ends in + has UDP beside it, and one that is nothing else is UDP alone.
func neighbours(in []Direction, loads ...string) maker {
	return func(r *rand.Rand, l *link) ([]impairment, bool) {
		load, share := pick(r, loads...), between(r, 0.1, 0.7)
		as := map[Direction]string{}
		if len(in) == 1 {
			as[in[0].Other()] = "cross-return"
		}
		return one(impairment{name: "cross", slows: Both, as: as, apply: func(b *builder) {
			for _, d := range in {
				text := load
				if strings.HasSuffix(load, "+") {
					text = strings.TrimPrefix(load+rateText(share*l.rate(d)), "+")
				}
				b.setIn([]Direction{d}, "cross", text)
			}
		}})
	}
}

// onAndOff is a load that comes for some part of each so many seconds.
func onAndOff(every, seldom float64, loads ...string) maker {
	return func(r *rand.Rand, _ *link) ([]impairment, bool) {
		period, load, d := between(r, every, seldom), pick(r, loads...), pick(r, Both...)
		text := fmt.Sprintf("every %s for %s %s.cross=%s", timeText(period), timeText(period*between(r, 0.35, 0.75)), d, load)
		as := map[Direction]string{d.Other(): "cross-return"}
		return one(impairment{name: "cross", slows: Both, as: as, scheduled: true, apply: func(b *builder) { b.set("schedule", text) }})
	}
}

// heldUDP is what a network does to UDP alone, the tunnel's with it.
func heldUDP(kinds ...string) maker {
	return func(r *rand.Rand, l *link) ([]impairment, bool) {
		l.tunnel = "wireguard"
		in, kind, share := ways(r), pick(r, kinds...), between(r, 0.04, 0.85)
		loss, length, burst := between(r, 0.002, 0.08), between(r, 3, 20), between(r, 0.01, 0.5)
		return one(impairment{name: "udp-throttle", slows: in, apply: func(b *builder) {
			for _, d := range in {
				rate := max(l.rate(d)*share, 0.25e6)
				switch way := []Direction{d}; kind {
				case "loss":
					b.setIn(way, "udp.loss", shareText(loss))
				case "bursts":
					b.setIn(way, "udp.loss", fmt.Sprintf("ge:%s:%s", shareText(loss/length), shareText(1/length)))
				case "rate":
					b.setIn(way, "udp.rate", rateText(rate))
				case "policer":
					b.setIn(way, "udp.policer", rateText(rate)+":"+sizeText(max(rate/8*burst, 6144)))
				}
			}
		}})
	}
}

// hole is a link with one of these MTUs whose ICMP messages do not come through.
func hole(mtus ...int) maker {
	return func(r *rand.Rand, _ *link) ([]impairment, bool) {
		in, mtu := ways(r), pick(r, mtus...)
		return one(impairment{name: "mtu-hole", slows: in, apply: func(b *builder) {
			b.set("mtu", strconv.Itoa(mtu))
			b.setIn(in, "pmtud", "off")
		}})
	}
}
