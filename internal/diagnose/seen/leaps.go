//go:build !slim

package seen

import (
	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// Leap is a while in which round trips took longer, all at once, and then no longer: as in
// a handover. A queue takes its time to grow.
type Leap struct {
	At       float64 // seconds since the series began
	Duration float64 // seconds
	By       float64 // seconds that the RTT rose
}

// Leaps are those of a series of echo probes, in their order; a nil one has none.
func Leaps(e *record.Echo) []Leap {
	all := Answered(e)
	var out []Leap
	for i := usual; i < len(all); {
		l, next := leapAt(all, i)
		if next > 0 {
			out = append(out, l)
			i = next + usual
			continue
		}
		i++
	}
	return out
}

// leapAt is the leap that begins with a probe; next is the first one after it, 0 where the
// RTT does not leap there.
func leapAt(all []record.Probe, i int) (l Leap, next int) {
	before := make([]float64, 0, usual)
	for _, p := range all[i-usual : i-sudden] {
		before = append(before, p.RTT)
	}
	base := stats.Median(before)
	least := max(leapSeconds, leapShare*base, leapDeviations*stats.SD(before))
	if all[i].RTT-base < least || all[i].RTT-all[i-sudden].RTT < 0.8*least {
		return l, 0
	}
	for next = i; next < len(all) && all[next].RTT-base > least/2; next++ {
		if all[next].At-all[i].At > longestLeap {
			return l, 0
		}
		l.By = max(l.By, all[next].RTT-base)
	}
	if next-i < sudden || next == len(all) {
		return l, 0
	}
	l.At, l.Duration = all[i].At, all[next].At-all[i].At
	return l, next
}

const (
	usual          = 10    // probes that tell what came before
	sudden         = 2     // probes within which the RTT leaps, and the fewest that a leap lasts for
	leapSeconds    = 0.015 // the least leap
	leapShare      = 0.25  // of the RTT
	leapDeviations = 5     // of what came before
	longestLeap    = 0.7   // s: what lasts longer is a line whose rate changes
)
