package stats

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// enumerate is the two-sided p over all ways to sign the numbers.
func enumerate(xs []int) float64 {
	sum := 0
	for _, x := range xs {
		sum += x
	}
	atLeast := 0
	for signs := range 1 << len(xs) {
		s := 0
		for i, x := range xs {
			if signs>>i&1 == 1 {
				s += x
			} else {
				s -= x
			}
		}
		if max(s, -s) >= max(sum, -sum) {
			atLeast++
		}
	}
	return float64(atLeast) / math.Pow(2, float64(len(xs)))
}

func TestSignFlipAgainstEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		xs := make([]int, r.IntN(12))
		for i := range xs {
			xs[i] = r.IntN(21) - 8 // ties and zeros among them
		}
		var s SignFlip
		for _, x := range xs {
			s.Add(x)
		}
		if got, want := s.P(), enumerate(xs); got != want {
			t.Errorf("%v: p = %v, want %v", xs, got, want)
		}
	}
}

// The example of Fisher's Design of Experiments §21, Darwin's fifteen pairs of
// crossed and self-fertilised maize, in eighths of an inch: of the 32,768 ways
// to sign the differences 863 have a sum as large in one direction, p = 5.267 %
// in both.
func TestSignFlipDarwin(t *testing.T) {
	var s SignFlip
	for _, x := range []int{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48} {
		s.Add(x)
	}
	near(t, "p", s.P(), 2*863.0/32768, 0)
}

// With looks on the way, the probability to have stopped is counted over all
// ways to sign the numbers, none of which reaches the limits by more.
func TestSignFlipStops(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 10
	limit := func(k int) float64 { return 0.2 * float64(k) / n }
	for range 20 {
		sizes := make([]int, n)
		for i := range sizes {
			sizes[i] = r.IntN(30)
		}
		stopped := make([]int, n+1) // signings that stop at the k-th number
		for signs := range uint(1) << n {
			var s SignFlip
			for i, x := range sizes {
				if bits.TrailingZeros(signs>>i) > 0 {
					x = -x
				}
				s.Add(x)
				if s.P() <= limit(i+1) {
					stopped[i+1]++
					break
				}
				s.Stop(limit(i + 1))
			}
		}
		all := 0.0
		for k, count := range stopped {
			all += float64(count) / (1 << n)
			if k > 0 && all > limit(k) {
				t.Errorf("sizes %v: after %d numbers %v have stopped, more than %v", sizes, k, all, limit(k))
			}
		}
		if all < 0.1 {
			t.Errorf("sizes %v: %v of 0.2 was used", sizes, all)
		}
	}
}

// The p at the stop is a p: not below x more often than x.
func TestSignFlipStagewiseP(t *testing.T) {
	const n = 12
	sizes := []int{5, 3, 8, 1, 9, 9, 2, 6, 4, 7, 3, 5}
	var ps []float64
	for signs := range uint(1) << n {
		var s SignFlip
		p := 1.0
		for i, x := range sizes {
			if signs>>i&1 == 1 {
				x = -x
			}
			s.Add(x)
			if p = s.P(); p <= 0.1*float64(i+1)/n {
				break
			}
			s.Stop(0.1 * float64(i+1) / n)
		}
		ps = append(ps, p)
	}
	for _, x := range []float64{0.01, 0.02, 0.05, 0.1} {
		below := 0
		for _, p := range ps {
			if p <= x {
				below++
			}
		}
		if share := float64(below) / float64(len(ps)); share > x {
			t.Errorf("p ≤ %v in %v of all", x, share)
		}
	}
}
