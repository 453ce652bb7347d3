package diagnose

import "unchoke/internal/stats"

// proportion is k of n, packets for instance.
type proportion struct {
	k int64 // those that were lost, or whatever is counted
	n int64 // of all
}

// add counts k of n more.
func (p *proportion) add(k, n int64) { p.k += k; p.n += n }

// mean is the share; 0 of none.
func (p proportion) mean() float64 {
	if p.n == 0 {
		return 0
	}
	return float64(p.k) / float64(p.n)
}

// low bounds the share from below, with 95 % confidence.
func (p proportion) low() float64 { return stats.Binomial(p.k, p.n, 0.95).Low }

// high bounds the share from above, with 95 % confidence.
func (p proportion) high() float64 { return stats.Binomial(p.k, p.n, 0.95).High }
