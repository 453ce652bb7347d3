package draw

import (
	"math/rand/v2"
	"strconv"
)

// mtuHole: a link with a smaller MTU than Ethernet's somewhere on the way, PPPoE,
// a tunnel of somebody else's, and a firewall that drops the ICMP message about
// it. What is large enough vanishes one way or both.
func mtuHole(r *rand.Rand, _ *link) ([]impairment, bool) {
	in := ways(r)
	mtu := pick(r, 1280, 1400, 1420, 1450, 1460, 1472, 1480, 1492, 1280+r.IntN(212), 1280+r.IntN(212))
	return []impairment{{name: "mtu-hole", slows: in, apply: func(b *builder) {
		b.set("mtu", strconv.Itoa(mtu))
		b.setIn(in, "pmtud", "off")
	}}}, true
}

// udpThrottle: a carrier that holds UDP to a rate, by a queue or a policer, or
// loses a part of it, and leaves TCP alone. Two paths of three go through a
// tunnel over UDP; on the others TCP does not suffer.
func udpThrottle(r *rand.Rand, l *link) ([]impairment, bool) {
	l.tunnel = pick(r, "wireguard", "wireguard", "")
	in, kind := ways(r), pick(r, "loss", "rate", "policer")
	share, burst, loss := between(r, 0.05, 0.7), between(r, 8e3, 2e5), between(r, 0.004, 0.06)
	return []impairment{{name: "udp-throttle", slows: in, apply: func(b *builder) {
		for _, d := range in {
			rate := rateText(max(l.rate(d)*share, 0.3e6))
			switch one := []Direction{d}; kind {
			case "loss":
				b.setIn(one, "udp.loss", shareText(loss))
			case "rate":
				b.setIn(one, "udp.rate", rate)
			case "policer":
				b.setIn(one, "udp.policer", rate+":"+sizeText(burst))
			}
		}
	}}}, true
}
