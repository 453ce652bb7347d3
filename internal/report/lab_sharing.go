package report

import (
	"fmt"
	"slices"

	"unchoke/internal/lab/analysis"
	"unchoke/internal/unit"
)

// sharingSection is how streams divide a bottleneck.
func (l Lab) sharingSection() *labSection {
	if len(l.Sharing) == 0 {
		return nil
	}
	t := newTable("<path", "<arm", "<traffic", "throughput", "the neighbor's", "share [95 %]", "equal", "<takes")
	for _, s := range l.Sharing {
		c := l.Cells[s.Cell]
		share := ratio(s.Share)
		if s.Interval != nil {
			share += " [" + span(*s.Interval) + "]"
		}
		takes := map[analysis.Takes]string{analysis.More: "more", analysis.Less: "less"}[s.Takes]
		t.add(l.path(c), c.Arm, c.Traffic, rate(c.Throughput.Mean), rate(s.Rate), share, ratio(s.Equal), takes)
	}
	return &labSection{
		Title: "Beside another stream", Plot: "sharing",
		Words:  []string{"What share the measured stream has of the sum of both, the mean over the runs with its 95 % interval (Student's t); runs that are all the same, on a path with nothing random, have none. It takes more or less than an equal share where the interval says so."},
		Tables: []labTable{t.done("Shares", 3)},
	}
}

// bufferSection is the throughput by the size of the socket buffers.
func (l Lab) bufferSection() *labSection {
	if len(l.Buffers) == 0 {
		return nil
	}
	s := &labSection{Title: "Buffers", Plot: "buffers", Words: []string{analysis.BufferRule}}
	for _, side := range analysis.Sides {
		if t, ok := l.bufferTable(side); ok {
			s.Tables = append(s.Tables, t)
		}
	}
	return s
}

// bufferTable has a row a curve and a column a size.
func (l Lab) bufferTable(side analysis.Side) (labTable, bool) {
	var curves []analysis.BufferCurve
	var sizes []int64
	for _, c := range l.Buffers {
		if c.Side != side {
			continue
		}
		curves = append(curves, c)
		for _, level := range c.Levels {
			sizes = append(sizes, level.Bytes)
		}
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	heads := []string{"<curve"}
	for _, bytes := range sizes {
		heads = append(heads, unit.Size(bytes).Human())
	}
	t := newTable(append(heads, "autotuning", "enough from")...)
	for _, c := range curves {
		cells := []string{c.Label}
		for _, bytes := range sizes {
			text := ""
			if i := slices.IndexFunc(c.Levels, func(l analysis.BufferLevel) bool { return l.Bytes == bytes }); i >= 0 {
				text = rate(l.Cells[c.Levels[i].Cell].Throughput.Mean)
			}
			cells = append(cells, text)
		}
		autotuned, enough := "", "none of these"
		if c.Autotuned >= 0 {
			autotuned = rate(l.Cells[c.Autotuned].Throughput.Mean)
		}
		if c.Enough > 0 {
			enough = unit.Size(c.Enough).Human()
		}
		t.add(append(cells, autotuned, enough)...)
	}
	return t.done(fmt.Sprintf("Throughput by the size of the %s buffer", side), 1), len(curves) > 0
}
