package tui

import (
	"math"
	"slices"
	"sort"
	"time"

	"unchoke/internal/live/table"
)

// window is a flow's history as the columns of a chart: each column is a span of
// time, the last ends with the snapshot that is shown.
type window struct {
	spans [][]table.Point // by column; none of time at which nothing was recorded
	rest  []float64       // intervals in it in which the flow is known to have rested
	each  time.Duration   // of a column
}

// newWindow takes the last columns of the history, one for each interval, or as
// many intervals to a column as the whole history needs.
func newWindow(points []table.Point, end time.Time, interval time.Duration, width int, whole bool) window {
	interval = max(interval, time.Millisecond)
	w := window{spans: make([][]table.Point, width), rest: make([]float64, width), each: interval}
	if len(points) == 0 || width == 0 {
		return w
	}
	if whole {
		all := end.Sub(points[0].Time()) + interval
		w.each = interval * max(1, (all+interval*time.Duration(width)-1)/(interval*time.Duration(width)))
	}
	for i := range width {
		from, to := end.Add(-time.Duration(width-i)*w.each), end.Add(-time.Duration(width-1-i)*w.each)
		a := firstAfter(points, from)
		b := firstAfter(points, to)
		w.spans[i] = points[a:b]
		// Looks are not quite an interval apart: the next one, if it is near, tells
		// of this time too.
		if a == b && b > 0 && b < len(points) && points[b].Time().Sub(to) < interval {
			w.spans[i] = points[b : b+1]
			continue
		}
		if a > 0 && resting(points[a-1]) {
			until := to
			if a < b {
				until = points[a].Time().Add(-interval)
			}
			w.rest[i] += intervals(until.Sub(from), interval)
		}
		if a < b && resting(points[b-1]) {
			w.rest[i] += intervals(to.Sub(points[b-1].Time()), interval)
		}
	}
	return w
}

// intervals is how many whole ones a time is.
func intervals(d, interval time.Duration) float64 {
	return max(math.Round(float64(d)/float64(interval)), 0)
}

// firstAfter is the index of the first point after a time.
func firstAfter(points []table.Point, t time.Time) int {
	return sort.Search(len(points), func(i int) bool { return points[i].Time().After(t) })
}

func resting(p table.Point) bool { return p.Sent == 0 && p.Received == 0 }

// mean is a figure's mean in each column. Of a rest it is atRest, or not known.
func (w window) mean(of func(table.Point) float64, atRest float64) []float64 {
	out := make([]float64, len(w.spans))
	for i, span := range w.spans {
		sum, n := 0.0, 0.0
		for _, p := range span {
			if v := of(p); !math.IsNaN(v) {
				sum += v
				n++
			}
		}
		if rest := w.rest[i]; rest > 0 && !math.IsNaN(atRest) {
			sum += rest * atRest
			n += rest
		}
		out[i] = sum / n // nothing is known: not a number
	}
	return out
}

// withoutJumps leaves out the retransmits of the first point after a recording
// was wound on: they are of all that was left out.
func withoutJumps(points []table.Point, interval time.Duration) []table.Point {
	out := slices.Clone(points)
	for i := 1; i < len(out); i++ {
		if out[i].Time().Sub(out[i-1].Time()) > 2*interval && !resting(out[i-1]) {
			out[i].Retransmits = 0
		}
	}
	return out
}

// retransmits are the segments sent again in each column; a point that tells of
// two columns counts in its own.
func (w window) retransmits() []float64 {
	out := make([]float64, len(w.spans))
	for i, span := range w.spans {
		if i+1 < len(w.spans) && len(span) == 1 && len(w.spans[i+1]) > 0 && span[0] == w.spans[i+1][0] {
			continue
		}
		for _, p := range span {
			out[i] += float64(p.Retransmits)
		}
	}
	return out
}

// known is a figure of which 0 means that it was not measured.
func known(v float32) float64 {
	if v == 0 {
		return math.NaN()
	}
	return float64(v)
}
