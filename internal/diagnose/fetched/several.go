package fetched

import (
	"cmp"
	"math"
	"slices"
)

// lucky says that a second connection, of HTTP/1.1, carried nearly all of what
// the path does where the first did not: what one connection gets is chance, and
// not what this path does to each.
func (v *view) lucky() bool {
	return v.slow() && v.plain != nil && v.plain.SteadyRate >= slowShare*v.capacity
}

// unlucky says that a second connection, of HTTP/1.1, carried far less than the
// path does where the first carried nearly all: that one was fast is chance too.
func (v *view) unlucky() bool {
	return !v.slow() && v.plain != nil && v.plain.SteadyRate < slowShare*v.capacity
}

// droppedForMore says that several connections lose more often than one while no
// queue stands, by more than so few losses differ by chance: loss that goes by
// chance strikes each packet alike, however many are sent.
func (v *view) droppedForMore() bool {
	if len(v.holes) == 0 || v.busier.N == 0 || v.queuedOver(v.busier) {
		return false
	}
	chance := surely / math.Sqrt(float64(len(v.holes))) // of Poisson's counts
	return v.lossMany > max(lossAlike, 1+chance)*v.loss
}

// most is the highest rate of segments that the several connections kept up
// together for a while in their later part, in bit/s of payload.
func (v *view) most() float64 {
	if v.many == nil {
		return 0
	}
	var all arrivals // together: each look of each connection adds what came since its last
	type step struct{ at, came float64 }
	var steps []step
	for _, s := range v.many.Series {
		a := arrivalsOf(s)
		for i := 1; i < len(a.at); i++ {
			steps = append(steps, step{a.at[i], a.segments[i] - a.segments[i-1]})
		}
	}
	slices.SortFunc(steps, func(x, y step) int { return cmp.Compare(x.at, y.at) })
	came := 0.0
	for _, s := range steps {
		came += s.came
		all.at, all.segments = append(all.at, s.at), append(all.segments, came)
	}
	return all.peak(steadyFrom*v.many.Duration, longWindow) * v.mss * 8
}
