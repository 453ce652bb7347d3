package diagnose

import "unchoke/internal/record"

// withoutReleased is a transfer of several streams whose steady rate counts the time
// in which a loss held everything back, as well as what came at once when it was
// repaired: a receiver passes on, and acknowledges, nothing that lies behind a gap. Over
// a second or two the latter alone would be more than the line carries.
func withoutReleased(t *record.Transfer, rtt float64) *record.Transfer {
	if t == nil || len(t.Intervals) == 0 {
		return t
	}
	since, rate := 0.0, t.SteadyRate
	for _, x := range t.Intervals {
		if x.Bytes > 0 {
			if x.At-since > max(leastHole, 2*rtt)+t.Intervals[0].At && since > 0 {
				rate = min(rate, t.Goodput(since/t.Duration, 1))
			}
			since = x.At
		}
	}
	if rate >= t.SteadyRate {
		return t
	}
	out := *t
	out.SteadyRate = rate
	return &out
}

// leastHole is the shortest time without an acknowledgement that is a gap, in seconds:
// a sender repairs no gap sooner than its least timeout (tcp_rto_min).
const leastHole = 0.2
