package fetched

import (
	"cmp"
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
