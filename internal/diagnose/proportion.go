package diagnose

import "unchoke/internal/stats"

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
