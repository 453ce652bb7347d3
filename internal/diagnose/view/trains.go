package view

import (
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/stats"
)

// TrainRate is the rate at which the one stream's packets came where they came in
// trains, in bit/s: the 95th percentile over pieces of sixty milliseconds. A sender
// that does not pace its packets sends what was acknowledged at once, on a long path
// a part of a window at a time, so that the bottleneck sets the distance of its
// packets while the stream itself is slow (Jain and Routhier, 1986). 0 where too few
// came to tell.
func (v *View) TrainRate() float64 {
	if !seen.Sampled(v.One) || v.Idle.Mid < longTrains {
		return 0
	}
	s := v.One.Series[0]
	var rates []float64
	for i := trainSamples; i < len(s.Samples); i++ {
		from, to := s.Samples[i-trainSamples].At, s.Samples[i].At
		if bytes := seen.Came(s, to, v.MSS) - seen.Came(s, from, v.MSS); bytes > 0 && to > from {
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

// FillsTrains says that one stream which does not pace its packets carries what the
// bottleneck lets through even where packets come close together, at a train's rate.
func (v *View) FillsTrains(train float64) bool {
	return seen.LossBased(v.CC) && len(v.Stalls) == 0 && train > 0 && v.Rate >= SlowShare*train
}
