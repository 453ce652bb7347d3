package diagnose

import (
	"fmt"

	"unchoke/internal/finding"
	"unchoke/internal/stats"
)

// trainRate is the rate at which the one stream's packets came where they came in
// trains, in bit/s: the 95th percentile over pieces of sixty milliseconds. A sender
// that does not pace its packets sends what was acknowledged at once, on a long path
// a part of a window at a time, so that the bottleneck sets the distance of its
// packets while the stream itself is slow (Jain and Routhier, 1986). 0 where too few
// came to tell.
func (v *view) trainRate() float64 {
	if !sampled(v.one) || v.idle.Mid < longTrains {
		return 0
	}
	s := v.one.Series[0]
	var rates []float64
	for i := trainSamples; i < len(s.Samples); i++ {
		from, to := s.Samples[i-trainSamples].At, s.Samples[i].At
		if bytes := came(s, to, v.mss) - came(s, from, v.mss); bytes > 0 && to > from {
			rates = append(rates, 8*bytes/(to-from))
		}
	}
	if len(rates) < leastTrains {
		return 0
	}
	return stats.Quantile(rates, 0.95)
}

const (
	trainSamples = 3    // of TCP_INFO, twenty milliseconds apart
	leastTrains  = 20   // pieces in which something came
	longTrains   = 0.18 // seconds: a round trip of three pieces shows which are empty
)

// fillsTrains says that one stream which does not pace its packets carries what the
// bottleneck lets through even where packets come close together, at a train's rate.
func (v *view) fillsTrains(train float64) bool {
	return lossBased[v.cc] && len(v.stalls) == 0 && train > 0 && v.rate >= slowShare*train
}

// policedAlone: a good part of the stream's packets were dropped while none waited,
// and its trains came far faster than what was left. It is asked where nothing else
// was measured of the direction: a queue of a few packets would look the same.
func policedAlone(v *view) *finding.Finding {
	if !v.alone() || v.queued() || v.reordered() || v.losses.Segments <= 0 || v.idle.N < fairProbes {
		return nil
	}
	lost := float64(v.losses.Real) / float64(v.losses.Segments)
	train, waited := v.trainRate(), v.waited()
	if lost < policedLost || train < gainMatters*v.rate || waited > hardlyWaited*v.idle.Mid || v.idle.Dev > hardlyWaited*v.idle.Mid {
		return nil
	}
	if v.losesUnloaded() {
		return nil
	}
	return &finding.Finding{
		Cause: finding.Policed, Confidence: policedAloneSure, Severity: 0.3,
		Summary: fmt.Sprintf("%s of the stream's packets were dropped, and none of the others waited: something drops what exceeds a rate and lets nothing queue, a policer. Packets came at up to %s for a moment, and one stream gets %s. Nothing else was measured of this direction.",
			percent(lost), rate(train), rate(v.rate)),
		Evidence: append([]finding.Evidence{
			{What: "one stream carries", Value: v.rate, Unit: finding.BitRate},
			{What: "packets arrive within a burst at", Value: train, Unit: finding.BitRate},
			{What: "rise of the longest RTTs under load", Value: waited, Unit: finding.Seconds},
		}, v.retransmitEvidence()...),
		Remedies: []finding.Remedy{networkLimit()},
	}
}

// policedAloneSure: 3 of 3 such verdicts were right; a small count, shrunk.
const policedAloneSure = 0.7

// fairProbes are enough to see a loss of some percent without load.
const fairProbes = 50

// waited is how far the longest RTTs beside the one stream stood above the idle one,
// in seconds: of fifty the longest is left out.
func (v *view) waited() float64 {
	e := v.run.Echo(v.one.Name)
	if e == nil {
		return 0
	}
	all := rtts(e, 0, v.one.Duration)
	if len(all) == 0 {
		return 0
	}
	return stats.Quantile(all, 0.98) - v.idle.Mid
}
