package seen

import (
	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// TrainRate is the rate at which a stream's packets came where they came in
// trains, in bit/s: the 95th percentile over pieces of sixty milliseconds. A sender
// that does not pace its packets sends what was acknowledged at once, on a long path
// a part of a window at a time, so that the bottleneck sets the distance of its
// packets while the stream itself is slow (Jain and Routhier, 1986). 0 where too few
// came to tell.
func TrainRate(t *record.Transfer, rtt float64, mss int) float64 {
	if !Sampled(t) || rtt < longTrains {
		return 0
	}
	s := t.Series[0]
	var rates []float64
	for i := trainSamples; i < len(s.Samples); i++ {
		from, to := s.Samples[i-trainSamples].At, s.Samples[i].At
		if bytes := Came(s, to, mss) - Came(s, from, mss); bytes > 0 && to > from {
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

// Once is the most that came of a stream, in order or not, within a round trip
// and at least half a second, in bit/s: a bottleneck of one rate lets no more through
// than that.
func Once(t *record.Transfer, rtt float64, mss int) float64 {
	most := 0.0
	for _, s := range t.Series {
		width := max(rtt, 0.5)
		for at := width; at+width <= t.Duration; at += width / 4 {
			most = max(most, 8*(Came(s, at+width, mss)-Came(s, at, mss))/width)
		}
	}
	return most
}
