package vantage

import (
	"fmt"

	"unchoke/internal/record"
)

// warnings say where time did more than place, and which places disagree with
// themselves.
func (s *survey) warnings() []string {
	out := []string{}
	for _, d := range record.Directions {
		within, least, most := 1.0, 0.0, 0.0
		var who *view
		for _, v := range s.views {
			w := v.ways[d]
			if w == nil {
				continue
			}
			if x := w.rate.spread(); x > within {
				within, who = x, v
			}
			if least == 0 || w.rate.Median < least {
				least = w.rate.Median
			}
			most = max(most, w.rate.Median)
		}
		if who == nil || least == 0 {
			continue
		}
		switch between := most / least; {
		case within >= driftBy && within >= between && len(s.views) > 1:
			out = append(out, fmt.Sprintf("%s: the rounds of %s differ by %.1f×, the places by %.1f×: what differs here is the time, not the place. Measure again, with more --rounds.",
				d.Word(), who.seen.Name, within, between))
		case within >= unsteadyBy:
			out = append(out, fmt.Sprintf("%s: %s disagrees with itself, %s between rounds.", d.Word(), who.seen.Name, rates(who.ways[d].rate)))
		}
	}
	for _, v := range s.views {
		for _, d := range record.Directions {
			if w := v.ways[d]; w != nil && len(w.figures) > 1 && w.summary(d).Agreed == 0 {
				out = append(out, fmt.Sprintf("%s: the rounds of %s name different causes.", d.Word(), v.seen.Name))
			}
		}
	}
	return out
}
