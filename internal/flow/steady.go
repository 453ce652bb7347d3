package flow

// Steady is what a stream carries once it is under way, in bit/s: the mean of the last half,
// or of the last quarter where it was still speeding up.
func (g Goodput) Steady() float64 { return g.since(g.settled()) }

// settled is the share of the duration from which on a steady rate counts.
func (g Goodput) settled() float64 {
	if third, last := g(0.5, 0.75), g(0.75, 1); third > 0 && last > 1.1*third {
		return 0.75
	}
	return 0.5
}
