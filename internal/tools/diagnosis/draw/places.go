package draw

import "math/rand/v2"

// One direction alone, for troubles that belong to it.
var (
	upOnly   = []Direction{Up}
	downOnly = []Direction{Down}
)

// symmetric is a line that is as fast up as down.
func symmetric(rtt, rate float64) link { return link{rtt: rtt, up: rate, down: rate} }

// through puts the line into one of these tunnels with a probability.
func (l link) through(r *rand.Rand, p float64, tunnels ...string) link {
	if chance(r, p) {
		l.tunnel = pick(r, tunnels...)
	}
	return l
}

// sending gives each host one of these congestion controls.
func (l link) sending(near, far string) link {
	l.nearCC, l.farCC = near, far
	return l
}

// The places. Rates stay at what the lab passes quickly: a stream of stock
// iperf3 at 100 Mbit/s costs it a second of CPU for each two of its own.
var places = []place{
	{"home-cable", "docsis", func(r *rand.Rand) link { // DOCSIS: plenty down, little up
		return link{rtt: between(r, 9, 32), down: between(r, 25, 90), up: between(r, 2.5, 11)}.through(r, 0.2, "wireguard")
	}, []trouble{
		{[]string{"cross"}, neighbours(upOnly, "1xcubic+", "2xcubic", "1xbbr", "+")},
		{[]string{"loss"}, sparseLoss(0.0004, 0.006, downOnly, upOnly)}, // ingress noise of a bad splitter
		{[]string{"egress"}, ownShaper(1.04, 1.35, "cake", "fq_codel")},
		{[]string{"egress"}, ownShaper(6, 18, "cake", "fq_codel", "tbf")}, // left over from an older tariff
		{[]string{"bottleneck"}, managedQueue(upOnly, "pie", "pie", "cake")},
		{[]string{"bottleneck"}, managedQueue(Both, "cake", "fq_codel")},
		{[]string{"bottleneck"}, standingQueue(0.2, 2.2, upOnly)},
		{[]string{"bottleneck"}, squeezedReturn(40, 160)},
	}},
	{"mobile-5g", "cellular", func(r *rand.Rand) link {
		return link{rtt: between(r, 20, 65), down: between(r, 14, 60), up: between(r, 3, 14)}.through(r, 0.3, "wireguard")
	}, []trouble{
		{[]string{"jitter"}, keptDelay(0.06, 0.3, []string{"uniform", "pareto"}, upOnly)}, // scheduling grants
		{[]string{"jitter"}, keptDelay(0.1, 0.5, []string{"paretonormal", "normal"}, Both)},
		{[]string{"schedule"}, gaps(5, 14, 0.12, 0.5)},
		{[]string{"schedule"}, moves(7, 19, 0.3, 1.5, 20, 120, 0)},
		{[]string{"schedule", "bottleneck"}, dips(4, 9, 0.25, 0.5, 0.2, 0.6)},
		{[]string{"bottleneck"}, standingQueue(0.3, 2.5, Both)},
		{[]string{"bottleneck"}, bucket(0.2, 1.5, 2, 6, Both, downOnly)}, // over the month's volume
		{[]string{"bottleneck"}, bucket(0.004, 0.03, 2, 10, downOnly)},
	}},
	{"starlink", "low-orbit", func(r *rand.Rand) link {
		return link{rtt: between(r, 24, 62), down: between(r, 18, 60), up: between(r, 4, 14)}.through(r, 0.35, "wireguard")
	}, []trouble{
		{[]string{"jitter"}, keptDelay(0.08, 0.25, []string{"paretonormal", "normal"}, Both)},
		{[]string{"loss"}, sparseLoss(0.0008, 0.008, Both)},
		{[]string{"schedule"}, moves(15, 15, 0.1, 0.9, 10, 70, 0.08)},
		{[]string{"schedule"}, epochs(30, 15, 6, 30)},
		{[]string{"schedule"}, gaps(9, 25, 0.4, 2)}, // a tree
		{[]string{"schedule", "bottleneck"}, dips(15, 30, 0.4, 0.6, 0.35, 0.75)},
		{[]string{"bottleneck"}, standingQueue(0.12, 0.5, Both)},
	}},
	{"office", "fibre", func(r *rand.Rand) link {
		l := symmetric(between(r, 5, 38), between(r, 16, 90)).through(r, 0.35, "wireguard", "gre", "ip6gre")
		l.ecn = chance(r, 0.4)
		return l
	}, []trouble{
		{[]string{"cross"}, neighbours(Both, "12xcubic", "2xcubic+", "3xbbr+", "+")}, // the nightly backup
		{[]string{"cross", "schedule"}, onAndOff(4, 9, "4xcubic", "8xcubic", "2xbbr")},
		{[]string{"bottleneck"}, bucket(0.003, 0.02, 1.5, 8, Both, upOnly)},
		{[]string{"bottleneck"}, bucket(0.05, 0.4, 1.5, 8, Both)},
		{[]string{"bottleneck"}, managedQueue(Both, "fq_codel", "codel", "pie")},
		{[]string{"bottleneck"}, standingQueue(0.15, 0.8, Both, upOnly)},
		{[]string{"mtu"}, hole(1300, 1398, 1436, 1454, 1476)},
	}},
	{"vps", "virtual", func(r *rand.Rand) link { // the far host is a rented machine that already has BBR, or not
		return symmetric(between(r, 14, 120), between(r, 20, 80)).
			through(r, 0.3, "wireguard", "gre").sending("", pick(r, "", "", "bbr", "htcp"))
	}, []trouble{
		{[]string{"loss"}, sparseLoss(0.0001, 0.004, Both, downOnly)},
		{[]string{"egress", "bottleneck"}, farShaper(1.1, 4, 0.003, 0.012)},
		{[]string{"egress", "bottleneck"}, farShaper(2, 12, 0.15, 0.6)},
		{[]string{"bottleneck"}, bucket(0.3, 2.5, 2, 10, Both, downOnly)},
		{[]string{"bottleneck"}, bucket(0.004, 0.05, 2, 10, Both, downOnly)},
		{[]string{"hosts"}, halfOpen(0.04, 0.8)},
		{[]string{"hosts"}, shut(0.04, 0.8)},
	}},
	{"long-fat", "submarine", func(r *rand.Rand) link { // a submarine cable
		return symmetric(between(r, 130, 300), between(r, 12, 60)).through(r, 0.25, "wireguard", "ip6gre").
			sending(pick(r, "", "", "", "htcp", "illinois"), pick(r, "", "", "bbr"))
	}, []trouble{
		{[]string{"jitter"}, looseDelay(0.004, 0.03, Both, downOnly)}, // load balanced packet by packet
		{[]string{"loss"}, sparseLoss(0.00003, 0.0012, Both, upOnly, downOnly)},
		{[]string{"bottleneck"}, shortQueue(0.015, 0.2)},
		{[]string{"bottleneck"}, managedQueue(downOnly, "fq_codel", "codel")},
		{[]string{"hosts"}, unscaled},
		{[]string{"hosts"}, untuned},
		{[]string{"hosts"}, halfOpen(0.05, 0.7)},
	}},
	{"flat-wifi", "wifi", func(r *rand.Rand) link {
		rate := between(r, 14, 80)
		return link{rtt: between(r, 3, 28), down: rate, up: rate * pick(r, 1, 0.7, 0.4)}.through(r, 0.2, "wireguard")
	}, []trouble{
		{[]string{"jitter"}, keptDelay(0.2, 0.9, []string{"pareto", "uniform", "paretonormal"}, Both)},
		{[]string{"loss"}, bursts(3, 25, 0.3, 3, Both, downOnly, upOnly)},
		{[]string{"schedule"}, impulses(0.5, 2.5, 0.015, 0.09)}, // a microwave oven
		{[]string{"schedule", "bottleneck"}, dips(1.2, 5, 0.2, 0.5, 0.15, 0.5)},
		{[]string{"cross"}, neighbours(downOnly, "+", "2xbbr", "6xcubic")},
		{[]string{"bottleneck"}, longQueue(500, 2000)},
		{[]string{"bottleneck"}, packetQueue(6, 24)},
	}},
	{"rural-dsl", "adsl", func(r *rand.Rand) link { // interleaved, over PPPoE
		l := link{rtt: between(r, 28, 70), down: between(r, 2, 16), up: between(r, 0.5, 1.3)}.through(r, 0.2, "wireguard")
		l.mtu = pick(r, 0, 1492)
		return l
	}, []trouble{
		{[]string{"loss"}, bursts(8, 40, 0.2, 1.5, downOnly, Both)},
		{[]string{"schedule"}, impulses(0.4, 4, 0.01, 0.06)}, // an electric fence
		{[]string{"cross"}, neighbours(upOnly, "1xcubic", "+")},
		{[]string{"egress"}, ownShaper(1.05, 1.25, "cake", "fq_codel", "tbf")},
		{[]string{"bottleneck"}, longQueue(60, 400)},
		{[]string{"bottleneck"}, packetQueue(3, 9)},
		{[]string{"bottleneck"}, squeezedReturn(30, 90)},
		{[]string{"mtu"}, hole(1400, 1442, 1480, 1484)},
	}},
	{"hotel", "shared", func(r *rand.Rand) link { // a captive portal's share for each guest
		return symmetric(between(r, 12, 75), between(r, 1.5, 14)).through(r, 0.4, "wireguard")
	}, []trouble{
		{[]string{"loss"}, sparseLoss(0.002, 0.03, Both, downOnly)},
		{[]string{"cross"}, neighbours(downOnly, "16xcubic", "4xbbr", "3xcubic+")},
		{[]string{"cross", "schedule"}, onAndOff(3, 12, "6xcubic", "1xbbr", "3xcubic")},
		{[]string{"udp"}, heldUDP("rate", "policer", "loss")},
		{[]string{"bottleneck"}, bucket(0.01, 0.08, 2, 20, Both)},
		{[]string{"bottleneck"}, bucket(0.5, 4, 2, 20, Both, downOnly)}, // "fast start"
		{[]string{"bottleneck"}, standingQueue(0.3, 3, Both)},
		{[]string{"mtu"}, hole(1280, 1350, 1420, 1450)},
	}},
	{"tailnet", "overlay", func(r *rand.Rand) link { // WireGuard over whatever there is
		return symmetric(between(r, 14, 150), between(r, 8, 60)).through(r, 1, "wireguard").
			sending(pick(r, "", "", "bbr"), "")
	}, []trouble{
		{[]string{"jitter"}, looseDelay(0.01, 0.15, Both, upOnly)},
		{[]string{"loss"}, bursts(2, 12, 0.5, 4, Both, upOnly)},
		{[]string{"loss"}, sparseLoss(0.0005, 0.015, upOnly, downOnly)},
		{[]string{"udp"}, heldUDP("rate", "policer", "loss", "bursts")},
		{[]string{"udp"}, heldUDP("policer", "rate")},
		{[]string{"bottleneck"}, shortQueue(0.03, 0.3)},
		{[]string{"mtu"}, hole(1300, 1380, 1412, 1460)},
	}},
	{"container", "virtual", func(r *rand.Rand) link { // what an image or a guide of 2009 set
		return symmetric(between(r, 10, 170), between(r, 16, 80)).sending(pick(r, "", "", "westwood"), pick(r, "", "", "bbr"))
	}, []trouble{
		{[]string{"loss"}, sparseLoss(0.0001, 0.002, Both)},
		{[]string{"hosts"}, shut(0.03, 0.9)},
		{[]string{"hosts"}, halfOpen(0.03, 0.9)},
		{[]string{"hosts"}, unscaled},
		{[]string{"hosts"}, untuned},
		{[]string{"egress"}, ownShaper(1.5, 9, "tbf", "fq_codel")},
	}},
	{"geo-satellite", "geostationary", func(r *rand.Rand) link {
		return link{rtt: between(r, 555, 690), down: between(r, 3, 22), up: between(r, 1, 4), queue: between(r, 0.2, 0.4)}.
			sending(pick(r, "", "", "hybla"), pick(r, "", "bbr"))
	}, []trouble{
		{[]string{"loss"}, sparseLoss(0.0001, 0.003, Both, downOnly)},
		{[]string{"loss"}, bursts(10, 60, 0.05, 0.3, downOnly)}, // rain
		{[]string{"bottleneck"}, standingQueue(0.9, 3.5, Both, downOnly)},
		{[]string{"bottleneck"}, squeezedReturn(60, 200)},
		{[]string{"bottleneck"}, bucket(0.1, 1.5, 2, 5, Both)},
		{[]string{"hosts"}, untuned},
	}},
	{"data-centre", "switch", func(r *rand.Rand) link {
		l := symmetric(between(r, 1.1, 6), between(r, 50, 130))
		l.ecn = chance(r, 0.3)
		return l
	}, []trouble{
		{[]string{"cross"}, neighbours(Both, "16xcubic", "1xbbr", "24xcubic")},
		{[]string{"loss"}, sparseLoss(0.001, 0.03, Both, upOnly)}, // a dirty optic
		{[]string{"egress", "bottleneck"}, farShaper(1.5, 4, 0.002, 0.01)},
		{[]string{"bottleneck"}, packetQueue(3, 30)},
		{[]string{"bottleneck"}, bucket(0.0006, 0.02, 1.5, 5, Both, upOnly)},
		{[]string{"bottleneck"}, standingQueue(0.12, 0.5, upOnly, Both)},
		{[]string{"hosts"}, shut(0.3, 1.5)},
	}},
	{"wisp", "radio", func(r *rand.Rand) link { // a radio on a mast, and a second one
		return link{rtt: between(r, 11, 48), down: between(r, 8, 45), up: between(r, 2, 12)}.through(r, 0.3, "wireguard", "gre")
	}, []trouble{
		{[]string{"jitter"}, looseDelay(0.03, 0.4, Both, downOnly)}, // bonded radios
		{[]string{"jitter"}, keptDelay(0.05, 0.4, []string{"normal", "uniform"}, Both, downOnly)},
		{[]string{"loss"}, bursts(5, 50, 0.1, 1, Both, downOnly)},
		{[]string{"schedule", "bottleneck"}, dips(2, 12, 0.2, 0.5, 0.2, 0.7)},
		{[]string{"bottleneck"}, bucket(0.02, 0.2, 1.3, 4, Both, downOnly)},
		{[]string{"bottleneck"}, managedQueue(Both, "cake", "fq_codel")},
	}},
	{"train", "cellular", func(r *rand.Rand) link {
		return link{rtt: between(r, 35, 125), down: between(r, 3, 22), up: between(r, 1, 7)}.through(r, 0.35, "wireguard")
	}, []trouble{
		{[]string{"jitter"}, keptDelay(0.15, 0.6, []string{"paretonormal", "pareto"}, Both)},
		{[]string{"loss"}, sparseLoss(0.001, 0.02, Both, upOnly)},
		{[]string{"schedule"}, gaps(6, 13, 0.8, 3.5)}, // tunnels
		{[]string{"schedule"}, moves(5, 11, 0.4, 2, 40, 250, 0.05)},
		{[]string{"schedule", "bottleneck"}, dips(3, 8, 0.3, 0.6, 0.15, 0.5)},
		{[]string{"bottleneck"}, standingQueue(0.4, 3, Both, downOnly)},
		{[]string{"cross"}, neighbours(downOnly, "5xcubic", "2xcubic+")},
	}},
}
