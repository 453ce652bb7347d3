package lab

import (
	"fmt"
	"slices"

	"unchoke/internal/lab/analysis"
	"unchoke/internal/report/render"
	"unchoke/internal/unit"
)

// sharingSection is how streams divide a bottleneck.
func (l Report) sharingSection() *section {
	if len(l.Sharing) == 0 {
		return nil
	}
	t := newTable("<path", "<arm", "<traffic", "throughput", "the neighbor's", "share [95 %]", "equal", "<takes")
	for _, s := range l.Sharing {
		c := l.Cells[s.Cell]
		share := render.Ratio(s.Share)
		if s.Interval != nil {
			share += " [" + span(*s.Interval) + "]"
		}
		takes := map[analysis.Takes]string{analysis.More: "more", analysis.Less: "less"}[s.Takes]
		t.add(l.path(c), c.Arm, c.Traffic, render.Rate(c.Throughput.Mean), render.Rate(s.Rate), share, render.Ratio(s.Equal), takes)
	}
	return &section{
		Title: "Beside another stream", Plot: "sharing",
		Words:  []string{"The measured stream's share of the sum of both: the mean over the runs with its 95 % interval (Student's t). Identical runs, on a path with nothing random, have no interval. It takes more or less where the interval excludes an equal share."},
		Tables: []table{t.done("Shares", 3)},
	}
}

// bufferSection is the throughput by the size of the socket buffers.
func (l Report) bufferSection() *section {
	if len(l.Buffers) == 0 {
		return nil
	}
	s := &section{Title: "Buffers", Plot: "buffers", Words: []string{analysis.BufferRule}}
	for _, side := range analysis.Sides {
		if t, ok := l.bufferTable(side); ok {
			s.Tables = append(s.Tables, t)
		}
	}
	return s
}

// bufferTable has a row a curve and a column a size.
func (l Report) bufferTable(side analysis.Side) (table, bool) {
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
				text = render.Rate(l.Cells[c.Levels[i].Cell].Throughput.Mean)
			}
			cells = append(cells, text)
		}
		autotuned, enough := "", "none of these"
		if c.Autotuned >= 0 {
			autotuned = render.Rate(l.Cells[c.Autotuned].Throughput.Mean)
		}
		if c.Enough > 0 {
			enough = unit.Size(c.Enough).Human()
		}
		t.add(append(cells, autotuned, enough)...)
	}
	return t.done(fmt.Sprintf("Throughput by the size of the %s buffer", side), 1), len(curves) > 0
}
