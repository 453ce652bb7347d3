package diagnose

import (
	"math"
	"slices"

	"unchoke/internal/record"
)

// keepsOrder says that packets do not overtake each other although their delay
// varies so much that they would, were each delayed on its own: echo probes were
// answered in order all the time, where so many inversions were to be expected of
// independent delays that none at all is no chance.
func (v *view) keepsOrder() bool {
	count, expected := v.inversions()
	return count == 0 && expected > unmetInversions
}

// inversions counts successive echo probes of which the later one was answered
// first, without load and beside rungs that fill no queue, and how many of them
// independent delays of the same distribution would make.
func (v *view) inversions() (count int, expected float64) {
	series := []*record.Echo{v.run.Echo("idle")}
	for _, r := range v.rungs {
		if r.sent < gentleShare*v.capacity {
			series = append(series, v.run.Echo(r.name))
		}
	}
	for _, e := range series {
		k, n := inverted(e)
		count, expected = count+k, expected+n
	}
	return count, expected
}

// inverted is the count of one series, probes that were answered alone.
func inverted(e *record.Echo) (count int, expected float64) {
	all := rtts(e, 0, math.Inf(1))
	var last record.Probe
	for _, p := range answered(e) {
		if last.RTT > 0 {
			gap := p.At - last.At
			if p.Order > 0 && p.Order < last.Order || p.Order == 0 && p.RTT < last.RTT-gap-leastSwaySeconds {
				count++
			}
			expected += shareAbove(all, gap)
		}
		last = p
	}
	return count, expected
}

// answered lists the probes that were answered; a nil series has none.
func answered(e *record.Echo) []record.Probe {
	if e == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(e.Probes), func(p record.Probe) bool { return p.RTT <= 0 })
}

// shareAbove is the share of ordered pairs of which the first is more than the
// second by so much.
func shareAbove(all []float64, by float64) float64 {
	n := 0
	for _, a := range all {
		for _, b := range all {
			if a-b > by {
				n++
			}
		}
	}
	return float64(n) / float64(len(all)*len(all))
}
