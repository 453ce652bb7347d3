package draw

import (
	"math/rand/v2"
	"slices"
)

// impairment is one while it is drawn: what it does to a scene.
type impairment struct {
	name  string
	slows []Direction    // whose streams it can slow down
	wire  func(*builder) // the line that it needs; applied before what others do to it
	apply func(*builder)
	parts []part
	// together are parts of which none may help without the other.
	together []part
	as       map[Direction]string  // another name for what it does to a direction
	ceiling  map[Direction]float64 // bit/s, where it lowers what the path lets pass
	// scheduled says that it comes and goes at fixed times.
	scheduled bool
}

// part is an impairment of which something was taken away.
type part struct {
	name  string
	apply func(*builder)
}

// family is a way in which paths are impaired.
type family struct {
	name   string
	weight int
	slots  []string // two impairments that share one exclude each other
	links  []string // on which kinds of access it is found
	// impair draws what is wrong; it may adapt the link, and refuse it.
	impair func(*rand.Rand, *link) ([]impairment, bool)
}

var families = []family{
	{"clean", 12, []string{"clean"}, []string{"fibre", "cable", "dsl", "ocean", "wifi", "lte", "starlink", "transit"}, clean},
	{"long", 5, []string{"clean"}, []string{"geostationary", "ocean"}, clean},
	{"random-loss", 10, []string{"loss"}, []string{"lte", "starlink", "ocean", "cable", "transit", "wifi"}, randomLoss},
	{"burst-loss", 8, []string{"loss"}, []string{"lte", "starlink", "ocean", "dsl", "wifi"}, burstLoss},
	{"outage", 4, []string{"schedule"}, []string{"lte", "starlink", "wifi", "cable"}, outage},
	{"policer", 9, []string{"bottleneck"}, []string{"fibre", "lte", "transit", "ocean", "cable"}, policer},
	{"deep-queue", 8, []string{"bottleneck"}, []string{"cable", "dsl", "lte", "fibre"}, deepQueue},
	{"shallow-queue", 7, []string{"bottleneck"}, []string{"fast"}, shallowQueue},
	{"tiny-queue", 4, []string{"bottleneck"}, []string{"dsl", "cable", "lte"}, tinyQueue},
	{"aqm", 6, []string{"bottleneck"}, []string{"fibre", "cable", "dsl", "ocean", "starlink"}, aqm},
	{"sqm", 9, []string{"egress"}, []string{"fibre", "cable", "dsl", "ocean"}, sqm},
	{"cross", 9, []string{"cross"}, []string{"fibre", "cable", "dsl", "ocean", "transit", "lte"}, cross},
	{"handover", 5, []string{"schedule"}, []string{"starlink", "lte"}, handover},
	{"rate-steps", 4, []string{"schedule", "bottleneck", "egress"}, []string{"lte", "wifi", "starlink"}, rateSteps},
	{"kept-jitter", 6, []string{"jitter"}, []string{"wifi", "lte", "starlink", "cable"}, keptJitter},
	{"overtaking", 7, []string{"jitter"}, []string{"transit", "ocean", "lte", "wifi", "starlink"}, overtaking},
	{"thin-return", 7, []string{"bottleneck", "egress"}, []string{"cable", "dsl", "fibre", "lte"}, thinReturn},
	{"send-buffer", 5, []string{"hosts"}, []string{"ocean", "transit", "fibre", "cable", "starlink"}, smallSendBuffer},
	{"receive-window", 5, []string{"hosts"}, []string{"ocean", "transit", "fibre", "cable", "starlink"}, smallReceiveBuffer},
	{"mtu-hole", 5, []string{"mtu"}, []string{"fibre", "cable", "dsl", "ocean", "transit", "lte"}, mtuHole},
	{"udp-throttle", 5, []string{"udp"}, []string{"fibre", "cable", "dsl", "ocean", "lte", "starlink"}, udpThrottle},
}

func drawFamily(r *rand.Rand) family {
	total := 0
	for _, f := range families {
		total += f.weight
	}
	n := r.IntN(total)
	for _, f := range families {
		if n -= f.weight; n < 0 {
			return f
		}
	}
	panic("unreachable")
}

func shareSlot(a, b family) bool {
	return slices.ContainsFunc(a.slots, func(s string) bool { return slices.Contains(b.slots, s) })
}

func clean(*rand.Rand, *link) ([]impairment, bool) { return nil, true }
