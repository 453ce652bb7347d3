//go:build !slim

package flow

import "unchoke/internal/record"

// Steady is what the streams of a transfer carry together once they are under way, in
// bit/s, each since what its own lost packets held back; 0 of one that lasted no time.
func Steady(t *record.Transfer) float64 {
	if t.Duration <= 0 {
		return 0
	}
	of := func(some ...record.Series) Goodput {
		return func(from, to float64) float64 {
			sum := 0.0
			for _, s := range some {
				sum += between(s, to*t.Duration, reached) - between(s, from*t.Duration, reached)
			}
			return sum * 8 / ((to - from) * t.Duration)
		}
	}
	from, rate := of(t.Series...).settled(), 0.0
	for _, s := range t.Series {
		rate += of(s).since(from)
	}
	return rate
}

// reached is what had arrived of a stream, out of order as well where its sender tells by
// selective acknowledgements.
func reached(s record.Series, x record.Sample) float64 {
	if !s.Sender {
		return arrived(s, x)
	}
	return arrived(s, x) + float64(x.Info.Sacked)*float64(x.Info.SndMSS)
}

// since is a stream's mean rate from a share of its duration on. What comes behind a lost
// packet is delivered in one go once that has been made up for, although it arrived while
// nothing was delivered. So a span of which that is the first begins before the packet was
// lost, and one that ends while something is held back ends before that.
func (g Goodput) since(from float64) float64 {
	to, mean, first := 1.0, g(from, 1), from
	for first < 1-slice && g(first, first+slice) < little*mean {
		first += slice
	}
	if g(first, first+slice) >= atOnce*mean {
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
