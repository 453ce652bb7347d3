package flow

import "unchoke/internal/record"

// Steady is what the streams of a transfer carry together once they are under way, in
// bit/s: the mean of the last half, or of the last quarter where they were still speeding
// up. Its duration is in seconds.
func Steady(all []record.Series, duration float64) float64 {
	of := func(some ...record.Series) Goodput {
		return func(from, to float64) float64 {
			sum := 0.0
			for _, s := range some {
				sum += Arrived(s, to*duration) - Arrived(s, from*duration)
			}
			return sum * 8 / ((to - from) * duration)
		}
	}
	from, rate := of(all...).settled(), 0.0
	for _, s := range all {
		rate += of(s).since(from)
	}
	return rate
}

// Steady is the same of one stream.
func (g Goodput) Steady() float64 { return g.since(g.settled()) }

// settled is the share of the duration from which on a steady rate counts.
func (g Goodput) settled() float64 {
	if third, last := g(0.5, 0.75), g(0.75, 1); third > 0 && last > 1.1*third {
		return 0.75
	}
	return 0.5
}

// since is a stream's mean rate from a share of its duration on. What comes behind a lost
// packet is delivered in one go once that has been made up for, although it arrived while
// nothing was delivered. So a span that begins with what was held back begins before that,
// and one that ends while something is held back ends before that.
func (g Goodput) since(from float64) float64 {
	to, mean := 1.0, g(from, 1)
	if g(from, from+slice) >= atOnce*mean {
		for from > slice && g(from-slice, from) < little*mean {
			from -= slice
		}
	}
	for g(to-slice, to) < little*mean {
		if to -= slice; to < 1-mostHeld {
			return g(from, 1) // it stands still
		}
	}
	return g(from, to)
}

const (
	slice    = 1.0 / Slices
	atOnce   = 2   // times the mean
	little   = 0.1 // of the mean
	mostHeld = 4 * slice
)
