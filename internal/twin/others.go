package twin

import "unchoke/internal/diagnose"

// othersIn says in which direction others share the bottleneck. The RTT, by which they
// are known, is both ways': where a stream fills one of them and not the other, it is in
// the other that others are.
func othersIn(up, down diagnose.Figures) (inUp, inDown bool) {
	if up.Shared && down.Shared && fills(up) != fills(down) {
		return !fills(up), !fills(down)
	}
	return up.Shared, down.Shared
}

// fills says that nothing had more of the bottleneck than one stream: neither UDP, which
// does not give way, nor eight streams.
func fills(f diagnose.Figures) bool {
	return f.One != nil && f.Rate > allOfIt*f.Capacity && (f.Eight == nil || f.Eight.SteadyRate < noMore*f.Rate)
}

// allOfIt: a stream loses so much at the most to its own start and to what it resends.
const allOfIt = 0.85
