package seen

import "unchoke/internal/stats"

// Proportion is k of n, packets for instance.
type Proportion struct {
	K int64 // those that were lost, or whatever is counted
	N int64 // of all
}

// Add counts k of n more.
func (p *Proportion) Add(k, n int64) { p.K += k; p.N += n }

// Mean is the share; 0 of none.
func (p Proportion) Mean() float64 {
	if p.N == 0 {
		return 0
	}
	return float64(p.K) / float64(p.N)
}

// Low bounds the share from below, with 95 % confidence.
func (p Proportion) Low() float64 { return stats.BinomialLow(p.K, p.N, 0.95) }

// High bounds the share from above, with 95 % confidence.
func (p Proportion) High() float64 { return stats.BinomialHigh(p.K, p.N, 0.95) }

// Above says that the share is above a limit, with 95 % confidence: that Low is.
func (p Proportion) Above(limit float64) bool { return stats.BinomialAbove(p.K, p.N, 0.95, limit) }
