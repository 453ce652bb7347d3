package draw

import "math/rand/v2"

// homeLine is a line as its tariff and its network tell it.
type homeLine struct {
	rtt      float64 // ms, to the server
	up, down float64 // Mbit/s
	// tunnelled is how many of such paths go through a tunnel of the user's:
	// nearly always a mesh VPN over WireGuard.
	tunnelled float64
	mtus      []int // of the underlay, one of which it has; none: Ethernet's
	// bbrFar and bbrNear are how many of the hosts send with BBR.
	bbrNear, bbrFar float64
}

// greTunnels is how many of the tunnels are of routers between offices.
const greTunnels = 0.06

// markedPaths is how many pairs of hosts both ask for ECN, as Apple's do and
// Linux's once somebody sets net.ipv4.tcp_ecn=1.
const markedPaths = 0.06

// connect is the line in SI units with a buffer that suits it: one that a
// stream of CUBIC fills the line with, of 20 ms at least. On a slow line ten
// full frames take longer than that; they may take 120 ms.
func (h homeLine) connect(r *rand.Rand, kind string) link {
	l := link{rtt: h.rtt, up: h.up, down: h.down}.inSI(kind)
	l.queue = max(l.rtt*between(r, 0.5, 0.9), between(r, 0.02, 0.06))
	l.queue = max(l.queue, min(10*frame*8/min(l.up, l.down), 0.12))
	if chance(r, h.tunnelled) {
		l.tunnel = "wireguard"
		if chance(r, greTunnels) {
			l.tunnel = pick(r, "gre", "gre", "ip6gre")
		}
	}
	if len(h.mtus) > 0 {
		l.mtu = pick(r, h.mtus...)
	}
	if chance(r, h.bbrNear) {
		l.nearCC = "bbr"
	}
	if chance(r, h.bbrFar) {
		l.farCC = "bbr"
	}
	l.ecn = chance(r, markedPaths)
	return l
}

// provisioned is a tariff's rate as it is set up: some carriers give a few
// percent more than they sell, so that speed tests reach what is sold.
func provisioned(r *rand.Rand, tariffs ...float64) float64 {
	return pick(r, tariffs...) * between(r, 0.92, 1.12)
}
