package seen

import (
	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// LostOnce is when a stream's only losses ended, in seconds since it began, and
// how many segments they were: within two round trips, and many where slow start
// sends twice what the path takes. Not found where it lost none, or again later.
func LostOnce(t *record.Transfer, rtt float64) (ended, lost float64, found bool) {
	type loss struct{ from, to, resent float64 }
	var all []loss
	s, near := flow.Seen(t.Series, true)
	for _, i := range t.Far {
		if i.Retransmits > 0 && !near {
			all = append(all, loss{i.Start, i.End, float64(i.Retransmits)})
		}
	}
	for i := 1; i < len(s.Samples); i++ {
		if n := int64(s.Samples[i].Info.TotalRetrans) - int64(s.Samples[i-1].Info.TotalRetrans); n > 0 {
			all = append(all, loss{s.Samples[i-1].At, s.Samples[i].At, float64(n)})
		}
	}
	for _, l := range all {
		lost += l.resent
	}
	if len(all) == 0 {
		return 0, 0, false
	}
	first, last := all[0], all[len(all)-1]
	return last.to, lost, last.from-first.to <= max(2*rtt, 1) // a far sender tells by the second
}

// BurstRate is the rate at which a stream's packets came where they came, from a
// time on: of ten intervals the one before the fastest.
func BurstRate(t *record.Transfer, from float64) float64 {
	rates := ratesFrom(t, from)
	if len(rates) < 8 {
		return 0
	}
	return stats.Sorted(rates)[len(rates)*9/10]
}
