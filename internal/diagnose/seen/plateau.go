package seen

import (
	"math"

	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/internal/theory"
)

// Plateau is the longest share of a stream's time in which as much arrived in each round
// trip as in the one before, while a congestion window would have grown by more than what
// that differed by: a window of the hosts holds the stream there. CUBIC stays as long near
// where it lost, but comes back there slowly, and is seen on its way. It is 0 where there
// is none, or where what arrived is not known from moment to moment.
func Plateau(t *record.Transfer, rtt float64, mss int) float64 {
	came, trips := byTrips(t, rtt, mss)
	longest, level := 0, 0.0
	for i := range came {
		least, most := came[i], came[i]
		for j := i; j < len(came); j++ {
			least, most = min(least, came[j]), max(most, came[j])
			if least < 1 || most > evenly*least {
				break
			}
			n := j + 1 - i
			if grown := theory.CubicStep * float64(n) * trips; n > longest && grown >= leastGrowth*most/trips {
				longest, level = n, least
			}
		}
	}
	below := 0
	for _, n := range came {
		if n >= theory.CubicBeta*level && n < level/evenly {
			below++
		}
	}
	if below > longest/10 {
		return 0
	}
	return float64(longest) * trips * rtt / t.Duration
}

// byTrips is how many segments of a stream arrived, counted over so many round trips at a
// time; none where that is not known.
func byTrips(t *record.Transfer, rtt float64, mss int) (came []float64, trips float64) {
	s, ok := flow.Seen(t.Series, false)
	if !ok || len(s.Samples) < 2 || rtt <= 0 || mss <= 0 {
		return nil, 0
	}
	apart := (s.Samples[len(s.Samples)-1].At - s.Samples[0].At) / float64(len(s.Samples)-1)
	trips = max(math.Ceil(samplesInTrips*apart/rtt), 1)
	for at, step := 0.0, trips*rtt; at+step <= t.Duration; at += step {
		came = append(came, (Came(s, at+step, mss)-Came(s, at, mss))/float64(mss))
	}
	return came, trips
}

const (
	// samplesInTrips is over how many samples what arrives is counted at the least, so that
	// a burst which falls between two of them is a small part of it.
	samplesInTrips = 5
	// evenly: what arrives in each round trip of a full window differs by less.
	evenly = 1.05
	// leastGrowth is of a window: it would have grown by twice what evenly allows.
	leastGrowth = 0.1
)
