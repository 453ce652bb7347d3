package stats

import "slices"

// SignFlip tests whether numbers are as likely to be positive as negative,
// given their sizes: the sign-flip permutation test of Fisher, "The Design of
// Experiments" (1935) §21, two-sided, on the sum. Under the hypothesis each
// sign is a fair coin, so that of n numbers all 2ⁿ ways to sign them are
// equally likely.
//
// It may look at the numbers while they come in and stop early. What it stops
// at is taken out of the distribution, so the probability to stop wrongly is
// known exactly whatever the numbers are: a group sequential test (Lan and
// DeMets, "Discrete Sequential Boundaries for Clinical Trials", 1983) on the
// permutation distribution.
//
// The numbers are integers, so that the distribution of their sum takes few
// values and is followed exactly, by dynamic programming, for any n: its
// probabilities are multiples of 2⁻ⁿ, which a float64 holds exactly up to n =
// 53. The zero value has seen no numbers.
type SignFlip struct {
	// mass[i] is the probability of |sum| = i without having stopped before.
	mass    []float64
	spare   []float64 // memory for the next mass
	sum     int       // that was seen
	stopped float64   // probability of having stopped
}

// Add brings the next number.
func (s *SignFlip) Add(x int) {
	s.sum += x
	if s.mass == nil {
		s.mass = []float64{1}
	}
	step := max(x, -x)
	if step == 0 {
		return
	}
	n := len(s.mass) + step
	next := slices.Grow(s.spare[:0], n)[:n]
	clear(next)
	farther := next[step:]
	farther[0] = s.mass[0]
	for i, p := range s.mass[1:] {
		farther[i+1] = p / 2
	}
	// Towards zero, and beyond it.
	beyond := min(step, len(s.mass))
	for i, p := range s.mass[1:beyond] {
		next[step-1-i] += p / 2
	}
	for i, p := range s.mass[beyond:] {
		next[beyond-step+i] += p / 2
	}
	s.mass, s.spare = next, s.mass
}

// P is the probability, under the hypothesis, of having stopped before or of a
// sum now at least as far from zero: without stops, the p of the test; with
// stops, the p by stagewise ordering (Jennison and Turnbull, "Group Sequential
// Methods", 2000, §8.4), honest in spite of the earlier looks.
func (s *SignFlip) P() float64 {
	if s.sum == 0 {
		return 1
	}
	tail := s.stopped
	for i := max(s.sum, -s.sum); i < len(s.mass); i++ {
		tail += s.mass[i]
	}
	return min(tail, 1)
}

// Stop takes out of the distribution the sums farthest from zero, as many as
// leave the probability of ever having stopped within limit. The sum that was
// seen is among them if and only if P() ≤ limit before.
func (s *SignFlip) Stop(limit float64) {
	// A sum of zero speaks for the hypothesis and is never taken out.
	last := len(s.mass) - 1
	for last > 0 && s.stopped+s.mass[last] <= limit {
		s.stopped += s.mass[last]
		last--
	}
	s.mass = s.mass[:last+1]
}

// Sum of the numbers seen.
func (s *SignFlip) Sum() int { return s.sum }
