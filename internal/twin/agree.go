package twin

import (
	"math"
	"slices"
)

// figure is one by which a copy is held against the path.
type figure struct {
	what  string // empty: it has a weight, and is not shown
	rate  bool   // in bit/s; else in seconds
	value func(Behaviour) float64
	// off is how far a copy's is from the measured one, in tolerances: what one
	// run differs from the next by, and what the lab's model of a path leaves out.
	off func(b, measured Behaviour) float64
	// known says that it was measured.
	known func(measured Behaviour) bool
}

var figures = slices.Concat(
	ofStream("one stream", "RTT under load", func(b Behaviour) Stream { return b.One }),
	ofStream("one stream by CUBIC", "RTT under CUBIC", func(b Behaviour) Stream { return b.Cubic }),
	[]figure{{
		"eight streams", true, func(b Behaviour) float64 { return b.Eight },
		func(b, m Behaviour) float64 { return logRatio(b.Eight, m.Eight) / 0.12 },
		func(m Behaviour) bool { return m.Many > 0 },
	}},
)

// ofStream are the figures of a stream that have a name, and those that only have weight.
func ofStream(rate, rtt string, of func(Behaviour) Stream) []figure {
	ran := func(m Behaviour) bool { return of(m).Duration > 0 }
	return []figure{
		{
			rate, true, func(b Behaviour) float64 { return of(b).Rate },
			func(b, m Behaviour) float64 { return logRatio(of(b).Rate, of(m).Rate) / 0.12 },
			ran,
		},
		{
			"", true, func(b Behaviour) float64 { return of(b).Early },
			func(b, m Behaviour) float64 { return logRatio(of(b).Early, of(m).Early) / 0.3 },
			ran,
		},
		{
			rtt + ", above the idle one", false, func(b Behaviour) float64 { return of(b).Rise },
			func(b, m Behaviour) float64 {
				return (of(b).Rise - of(m).Rise) / (0.25*max(of(m).Rise, of(b).Rise) + 0.004 + 0.03*m.RTT)
			},
			func(m Behaviour) bool { return ran(m) && of(m).Rise >= 0 },
		},
		{
			"", false, func(b Behaviour) float64 { return of(b).Resent },
			func(b, m Behaviour) float64 {
				few := 3 / of(m).Segments // so that a retransmit or two of thousands do not count
				return logRatio(of(b).Resent+few, of(m).Resent+few) / 0.7
			},
			func(m Behaviour) bool { return ran(m) && of(m).Resent >= 0 && of(m).Segments > 0 },
		},
	}
}

// logRatio of two rates; what nothing came of counts as a thousandth.
func logRatio(a, b float64) float64 {
	least := max(a, b) / 1000
	if least == 0 {
		return 0
	}
	return math.Log(max(a, least) / max(b, least))
}

// weigh gives each copy its weight: how likely the measured behaviour is of it.
// The weights add up to one.
func weigh(measured Behaviour, copies []Behaviour) []float64 {
	misfits := make([]float64, len(copies))
	for i, b := range copies {
		for _, f := range figures {
			if f.known(measured) {
				x := min(math.Abs(f.off(b, measured)), mostMisfit)
				misfits[i] += x * x / 2
			}
		}
	}
	best, sum := slices.Min(misfits), 0.0
	weights := make([]float64, len(copies))
	for i, m := range misfits {
		weights[i] = math.Exp(best - m)
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}

// mostMisfit of a figure, in tolerances: one that is off says no more by being
// far off.
const mostMisfit = 4

// Compared is a figure of the path beside the same of its copies.
type Compared struct {
	What     string
	Rate     bool // in bit/s; else in seconds
	Measured float64
	Twin     float64 // the copies' mean by weight
	Agrees   bool
}

// agreeing is how many tolerances the copies that count may be off in the mean:
// a rate by a quarter.
const agreeing = 2

// compare holds the copies against the path.
func compare(measured Behaviour, copies []Behaviour, weights []float64) []Compared {
	var out []Compared
	for _, f := range figures {
		if f.what == "" || !f.known(measured) {
			continue
		}
		c := Compared{What: f.what, Rate: f.rate, Measured: f.value(measured)}
		off := 0.0
		for i, b := range copies {
			c.Twin += weights[i] * f.value(b)
			off += weights[i] * min(math.Abs(f.off(b, measured)), mostMisfit)
		}
		c.Agrees = off <= agreeing
		out = append(out, c)
	}
	return out
}
