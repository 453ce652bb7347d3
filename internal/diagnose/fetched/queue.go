package fetched

import (
	"fmt"

	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/stats"
)

// bloated: the round trip under load is far above the idle one.
func bloated(v *view) *finding.Finding {
	under := v.fullest()
	rise := under.Mid - v.idle.Mid
	if !v.bloats(under, 1) {
		return nil
	}
	sure := stats.Clamp(0.75+0.2*(rise/bloatExcess-1), 0.75, 0.95)
	if !v.bloats(under, 1+bloatEdge) {
		sure = 0.6 // another look might see it on the other side
	}
	return &finding.Finding{
		Cause: finding.Bufferbloat, Confidence: sure, Severity: rise / (rise + bloatFactor*v.idle.Mid + bloatExcess),
		Summary: fmt.Sprintf("While the download runs, the round trip takes %s instead of %s: a queue of %s stands on the path, and everything else waits in it.",
			duration(under.Mid), duration(v.idle.Mid), size(rise*v.rate/8)),
		Evidence: append(v.evidence(), finding.Evidence{What: "queue standing", Value: rise * v.rate / 8, Unit: finding.Bytes}),
		Remedies: []finding.Remedy{
			finding.Remedy{What: "Shape what comes in just below the link's rate, with a queue that keeps short, on the router before the bottleneck.", Where: finding.Network}.By(finding.Shape(0.9 * v.capacity)),
			{What: "Or on the server: BBR, which leaves the queue nearly empty.", Where: finding.Sender},
		},
	}
}

// fullest is the round trip while the one connection kept its queue longest: all
// of its steady time, or the end of it.
func (v *view) fullest() flow.Spread {
	if v.ending.Mid > v.loaded.Mid {
		return v.ending
	}
	return v.loaded
}

// bloats says that a round trip under load is so long that it is called
// bufferbloat, or so many times that.
func (v *view) bloats(under flow.Spread, times float64) bool {
	return v.idle.N > 0 && under.N > 0 && under.Mid-v.idle.Mid > times*bloatExcess && under.Mid > times*bloatFactor*v.idle.Mid
}

// nearlyBloats says that a queue stands which is about as long as what is called
// bufferbloat, of the one connection or of the several: it breathes with what
// fills it, so that another look may find it on either side.
func (v *view) nearlyBloats() bool {
	return !v.bloats(v.fullest(), 1) && (v.bloats(v.fullest(), 1-bloatEdge) || v.bloats(v.busier, 1-bloatEdge))
}
