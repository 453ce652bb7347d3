package draw

import (
	"fmt"
	"math/rand/v2"
)

// cross: other people's traffic through the bottleneck: a family's downloads,
// a backup, a video call or a camera's UDP.
func cross(r *rand.Rand, l *link) ([]impairment, bool) {
	in := pick(r, []Direction{Down}, []Direction{Up}, Both)
	kind, n, share := pick(r, "cubic", "cubic", "bbr", "udp"), 1+r.IntN(6), between(r, 0.15, 0.8)
	if kind == "bbr" {
		n = 1 + n/2
	}
	as := map[Direction]string{}
	if len(in) == 1 {
		as[in[0].Other()] = "cross-return"
	}
	return []impairment{{name: "cross", slows: Both, as: as, apply: func(b *builder) {
		for _, d := range in {
			text := fmt.Sprintf("%dx%s", n, kind)
			if kind == "udp" {
				text = rateText(share * l.rate(d))
			}
			b.setIn([]Direction{d}, "cross", text)
		}
	}}}, true
}
