package diagnose

import (
	"math"

	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// spread summarises a set of times, in seconds.
type spread struct {
	n                   int
	low, mid, high, dev float64 // 5th percentile, median, 95th, standard deviation
}

func spreadOf(x []float64) spread {
	if len(x) == 0 {
		return spread{}
	}
	s := spread{n: len(x), low: stats.Quantile(x, 0.05), mid: stats.Median(x), high: stats.Quantile(x, 0.95)}
	if s.n > 1 {
		s.dev = stats.SD(x)
	}
	return s
}

// or is the spread itself, or the other where it is empty.
func (s spread) or(other spread) spread {
	if s.n > 0 {
		return s
	}
	return other
}

// noise is the standard error of the median, 1.253·σ/√n for a normal
// distribution.
func (s spread) noise() float64 {
	if s.n == 0 {
		return 0
	}
	return 1.253 * s.dev / math.Sqrt(float64(s.n))
}

// rtts lists the round-trip times of the probes sent from a time on and
// before another, both in seconds since the series began. A nil series has
// none.
func rtts(e *record.Echo, from, to float64) []float64 {
	if e == nil {
		return nil
	}
	var out []float64
	for _, p := range e.Probes {
		if p.RTT > 0 && p.At >= from && p.At < to {
			out = append(out, p.RTT)
		}
	}
	return out
}

// tcpFloor is the RTT of the path as the stream's own minimum gives it, for
// runs without echoes.
func tcpFloor(t *record.Transfer) spread {
	for _, s := range t.Series {
		if n := len(s.Samples); n > 0 && s.Sender {
			if rtt := s.Samples[n-1].Info.MinRTT.Seconds(); rtt > 0 {
				return spread{n: 1, low: rtt, mid: rtt, high: rtt}
			}
		}
	}
	return spread{}
}

// tcpRTT is the smoothed RTT that the sender itself saw, once it ran steadily.
func tcpRTT(t *record.Transfer) spread {
	var out []float64
	for _, s := range t.Series {
		if !s.Sender {
			continue
		}
		for _, x := range s.Samples {
			if x.At >= steadyFrom*t.Duration && x.Info.RTT > 0 {
				out = append(out, x.Info.RTT.Seconds())
			}
		}
	}
	return spreadOf(out)
}

// proportion is k of n.
type proportion struct{ k, n int64 }

func (p *proportion) add(k, n int64) { p.k += k; p.n += n }

func (p proportion) mean() float64 {
	if p.n == 0 {
		return 0
	}
	return float64(p.k) / float64(p.n)
}

// low and high bound the proportion with 95 % confidence.
func (p proportion) low() float64  { return stats.Binomial(p.k, p.n, 0.95).Low }
func (p proportion) high() float64 { return stats.Binomial(p.k, p.n, 0.95).High }
