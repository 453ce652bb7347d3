package rules

import (
	"cmp"
	"fmt"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// Sinking: the stream lost packets while the queue that it fills was far from full.
// That is loss of the path's own, in single packets or in bursts. A stream lives on
// a long queue for the seconds of a test; what it carries in the long run follows
// from how rare such losses are. It is asked where nothing else was found.
func Sinking(v *view.View) *finding.Finding {
	if v.Reordered() || v.Rate <= 0 {
		return nil
	}
	if v.HardlyBegun() {
		return nil // its start may have lost them
	}
	if _, busy := v.Others(); busy {
		return nil // others may fill the queue for a moment
	}
	return cmp.Or(sinksByProbes(v), sinksByHeaders(v))
}

// sinksByProbes goes by the echo probes beside the stream.
func sinksByProbes(v *view.View) *finding.Finding {
	n, lasting := v.SinksBy()
	if float64(n) < leastOffQueue || lasting >= sinksFar*v.Capacity {
		return nil
	}
	p := float64(n) / float64(v.Losses.Segments)
	f := ofLoss(v, p, sinkingSure)
	if v.CC != "cubic" {
		f.Confidence = sinkingPerhaps
	}
	f.Severity = 1 - lasting/v.Capacity
	f.Summary = fmt.Sprintf("The path lost packets %s while its queue was far from full, once in %d packets. For these seconds one stream lives on the queue and carries %s of %s; %s takes each such loss for congestion, and in the long run about %s is left.",
		words.Times(n), v.Losses.Segments/int64(n), words.Rate(v.Rate), words.Rate(v.Capacity), words.CCName(v), words.Rate(lasting))
	f.Evidence = append([]finding.Evidence{
		{What: "losses while the queue was far from full", Value: float64(n), Unit: finding.Count},
		{What: "RTT with the queue full", Value: v.Longest(), Unit: finding.Seconds},
	}, f.Evidence...)
	return f
}

// sinksFar is of the path's rate: a stream that is left so much in the long run gains two
// thirds without such losses. What leaves it more, up to three quarters, makes its health
// less sure.
const sinksFar = 0.6

// sinkingSure: 3 of 3 such verdicts were right; a small count, shrunk.
const sinkingSure = 0.8

// sinkingPerhaps: what such losses leave is CUBIC's; illinois had nearly all of the path.
const sinkingPerhaps = 0.5
