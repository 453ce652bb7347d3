//go:build !slim

package rules

import (
	"fmt"
	"slices"

	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/stats"
	"unchoke/internal/theory"
)

// Young: slow start overflowed the queue at the bottleneck once, or lost a packet or
// two by chance, and the sender grows back for longer than the test lasted, as on
// satellite links. Packets then come in one burst a round trip, at the bottleneck's
// rate, with silence between. It is asked where nothing else was measured of the
// direction, or the stream was few round trips old.
func Young(v *view.View) *finding.Finding {
	if !v.Alone() && !v.HardlyBegun() || !v.Slow() || !congestion.LossBasedOrUnknown(v.CC) {
		return nil
	}
	ended, lost, found := v.LostOnce()
	if !found || v.One.Duration-ended < growingBack*v.Idle.Mid {
		return nil
	}
	bottleneck, by := v.Capacity, "the path carries"
	if v.Alone() {
		bottleneck, by = max(seen.BurstRate(v.One, ended), v.TrainRate()), "packets arrive within a burst at"
	}
	confidence, began := overshootSure, "Slow start overflowed the queue at the bottleneck once, and nothing was lost since."
	if lost < leastOvershoot {
		confidence, began = earlyLoss, fmt.Sprintf("Slow start lost %s and ended, before the path was full, and nothing was lost since.", words.Packets(lost))
	}
	if bottleneck < view.GainMatters*v.Rate {
		return nil
	}
	bdp := bottleneck / 8 * v.Idle.Mid
	grows := theory.CubicGrowth(bdp, v.MSS)
	if grows < v.One.Duration-ended {
		return nil
	}
	return &finding.Finding{
		Cause: finding.SlowStart, Confidence: confidence, Severity: stats.Clamp(1-v.Rate/bottleneck, 0, 1) / 2,
		Summary: fmt.Sprintf("%s A window that fills %s at a round trip of %s takes CUBIC %s to grow back to, which this test did not last: one stream gets %s while it is so young.",
			began, words.Rate(bottleneck), words.Duration(v.Idle.Mid), words.Duration(grows), words.Rate(v.Rate)),
		Evidence: slices.Concat([]finding.Evidence{
			{What: "one stream carries", Value: v.Rate, Unit: finding.BitRate},
			{What: by, Value: bottleneck, Unit: finding.BitRate},
			{What: "bandwidth-delay product", Value: bdp, Unit: finding.Bytes},
			growingBackTakes(grows),
			{What: "of the test were left for it", Value: v.One.Duration - ended, Unit: finding.Seconds},
		}, words.RetransmitEvidence(v)),
		Remedies: []finding.Remedy{keepBusy(v)},
	}
}

// overshootSure: 6 of 6 such verdicts were right; a small count, shrunk.
const overshootSure = 0.75

// earlyLoss is the confidence where a few packets ended slow start: loss that is rare
// and stays would look the same.
const earlyLoss = 0.5
