package twin

import "math"

// Param is a figure of a path: the likeliest value, and the interval in which
// the record leaves it.
type Param struct{ Value, Low, High float64 }

// exactly is a figure that is known.
func exactly(v float64) Param { return Param{v, v, v} }

// about is a figure that is known up to a factor.
func about(v, factor float64) Param { return Param{v, v / factor, v * factor} }

// Known says that there is such a figure at all.
func (p Param) Known() bool { return p.High > 0 }

// at is the value at a share u of the interval, from 0 to 1: all orders of
// magnitude are equally likely where it spans some.
func (p Param) at(u float64) float64 {
	if p.Low <= 0 || p.High <= p.Low {
		return p.Low + u*(p.High-p.Low)
	}
	return p.Low * math.Exp(u*math.Log(p.High/p.Low))
}
