package draw

import (
	"math/rand/v2"
	"strconv"
)

// largePacketsVanish on a way with such an MTU, where somebody filters ICMP.
func largePacketsVanish(mtus ...int) fault {
	return func(r *rand.Rand, _ *link) (impairment, bool) {
		mtu, ways := pick(r, mtus...), pick(r, Both, upOnly, downOnly)
		return impairment{name: "mtu-hole", slows: ways, apply: func(b *builder) {
			b.set("mtu", strconv.Itoa(mtu))
			b.setIn(ways, "pmtud", "off")
		}}, true
	}
}

// udpLast is a provider that limits UDP and leaves TCP alone. Who notices has a
// tunnel over UDP, three times of four.
func udpLast(least, most float64, in ...[]Direction) fault {
	return func(r *rand.Rand, l *link) (impairment, bool) {
		l.tunnel = pick(r, "wireguard", "wireguard", "wireguard", "")
		ways, kind := pick(r, in...), pick(r, "rate", "policer", "policer", "loss")
		share, seconds, lost := between(r, least, most), between(r, 0.005, 0.3), between(r, 0.002, 0.03)
		return impairment{name: "udp-throttle", slows: ways, apply: func(b *builder) {
			for _, d := range ways {
				one, rate := []Direction{d}, share*l.rate(d)
				switch kind {
				case "rate":
					b.setIn(one, "udp.rate", rateText(rate))
				case "policer":
					b.setIn(one, "udp.policer", rateText(rate)+":"+sizeText(max(rate/8*seconds, 5*frame)))
				case "loss":
					b.setIn(one, "udp.loss", shareText(lost))
				}
			}
		}}, true
	}
}
