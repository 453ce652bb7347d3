package vantage

import (
	"math"

	"unchoke/internal/stats"
)

// Figure is a quantity over the rounds.
type Figure struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`  // of the rounds
	High   float64 `json:"high"` // of the rounds
	Rounds int     `json:"rounds"`

	values []float64
}

func figureOf(values []float64) Figure {
	if len(values) == 0 {
		return Figure{}
	}
	return Figure{
		Median: stats.Median(values), Low: stats.Quantile(values, 0), High: stats.Quantile(values, 1),
		Rounds: len(values), values: values,
	}
}

// spread is how many times its least value a figure's greatest is.
func (f Figure) spread() float64 {
	if f.Low <= 0 {
		return 1
	}
	return f.High / f.Low
}

// logs are the logarithms of the values: rates scatter by factors.
func (f Figure) logs() []float64 {
	out := make([]float64, 0, len(f.values))
	for _, v := range f.values {
		if v > 0 {
			out = append(out, math.Log(v))
		}
	}
	return out
}

// scatter is the standard deviation of a figure's logarithm between the rounds
// of one place, pooled over the places, with its degrees of freedom.
type scatter struct {
	sd      float64
	freedom int
}

func scatterOf(figures []Figure) scatter {
	sum, freedom := 0.0, 0
	for _, f := range figures {
		if x := f.logs(); len(x) > 1 {
			sd := stats.SD(x)
			sum += sd * sd * float64(len(x)-1)
			freedom += len(x) - 1
		}
	}
	if freedom == 0 {
		return scatter{}
	}
	return scatter{math.Sqrt(sum / float64(freedom)), freedom}
}

// below says that a place's figure lies below another's by more than the scatter
// between rounds and by a factor that matters, and how sure that is. Student's
// test of the logarithms with the pooled scatter must tell them apart, and no
// round of one may reach into the other's. A single round has no scatter: then
// only a great factor counts, and for less.
func (s scatter) below(a, b Figure) (yes bool, confidence float64) {
	x, y := a.logs(), b.logs()
	if len(x) == 0 || len(y) == 0 {
		return false, 0
	}
	gap := stats.Mean(y) - stats.Mean(x)
	if gap < math.Log(Matters) || a.High >= b.Low {
		return false, 0
	}
	if s.freedom == 0 {
		return gap >= math.Log(evidentBy), onceOnly
	}
	margin := stats.StudentQuantile(differenceAt, float64(s.freedom)) * max(s.sd, leastScatter) *
		math.Sqrt(1/float64(len(x))+1/float64(len(y)))
	return gap > margin, differenceAt
}
