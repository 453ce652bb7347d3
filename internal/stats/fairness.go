package stats

// Jain is Jain's fairness index of shares: 1 where all are equal, 1/n where
// one of n has everything. Jain, Chiu and Hawe, "A Quantitative Measure of
// Fairness and Discrimination for Resource Allocation in Shared Computer
// Systems" (DEC-TR-301, 1984). It is NaN where nobody has anything.
func Jain(shares ...float64) float64 {
	sum, squares := 0.0, 0.0
	for _, s := range shares {
		sum += s
		squares += s * s
	}
	return sum * sum / (float64(len(shares)) * squares)
}
