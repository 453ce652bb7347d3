package compare

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"unchoke/internal/compare"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

// dotPlot draws a strip an arm on a common axis: each block's rate a dot, the
// median and its interval on the same line.
func (c Report) dotPlot(s *render.Screen) {
	axis, ok := render.NewRateAxis(c.plotted())
	if !ok {
		return
	}
	names := utf8.RuneCountInString(axis.Unit)
	for arm := range c.Arms {
		names = max(names, utf8.RuneCountInString(render.Printable(c.label(arm))))
	}
	names = min(names, s.Prose/3)
	line := func(name, drawn string) string {
		return strings.TrimRight("  "+render.Pad(render.Clip(name, names), names)+"  "+drawn, " ")
	}
	columns := s.Prose - 2 - names - 2
	for arm := range c.Arms {
		s.Text(line(c.label(arm), c.strip(axis, arm, columns)))
	}
	ticks, labels := axis.Ruler(columns)
	s.Line(render.Dim.Of(line("", ticks)))
	s.Line(render.Dim.Of(line(axis.Unit, labels)))
	legend := "• one block, 2–9 several at one point; ◆ median, ─ its 95 % interval"
	if c.Reported != nil {
		legend += "; ◇ reported"
	}
	if axis.Log {
		legend += "; logarithmic"
	}
	s.Hang(names+4, render.Dim, legend)
}

// plotted are all rates that a plot shows.
func (c Report) plotted() []float64 {
	var out []float64
	for _, t := range c.Trials {
		out = append(out, t.Rate)
	}
	for _, s := range c.Analysis.Arms {
		out = append(out, s.Rate, s.Interval.Low, s.Interval.High)
	}
	if c.Reported != nil {
		for _, r := range c.Reported.Arms {
			out = append(out, r.Rate.Low, r.Rate.High)
		}
	}
	return out
}

// strip is one arm's line of the plot.
func (c Report) strip(axis render.RateAxis, arm, columns int) string {
	cells := make([]rune, columns)
	for i := range cells {
		cells[i] = ' '
	}
	place := func(v float64) int { return int(math.Round(axis.At(v) * float64(columns-1))) }
	s := c.summary(arm)
	if s != nil && s.Interval.Bounded() {
		for i := place(s.Interval.Low); i <= place(s.Interval.High); i++ {
			cells[i] = '─'
		}
	}
	if told := c.reported(arm).Rate; told.High > 0 {
		cells[place(told.Low)], cells[place(told.High)] = '◇', '◇'
	}
	count := make([]int, columns)
	for _, t := range c.Trials {
		if t.Arm == arm {
			count[place(t.Rate)]++
		}
	}
	for i, n := range count {
		switch {
		case n == 1:
			cells[i] = '•'
		case n > 1:
			cells[i] = rune('0' + min(n, 9))
		}
	}
	if s != nil {
		cells[place(s.Rate)] = '◆'
	}
	return strings.TrimRight(string(cells), " ")
}

// Block is one block's line while a comparison runs: each arm's rate and, of
// two, their ratio.
func Block(c *record.Comparison, block int, style render.Style) render.Painted {
	blocks := blocksOf(c.Trials, len(c.Arms))
	if block < 0 || block >= len(blocks) {
		return ""
	}
	trials, names := blocks[block], compare.Labels(c)
	var items []string
	for arm, t := range trials {
		if t != nil {
			items = append(items, names[arm]+" "+render.Rate(t.Rate))
		}
	}
	if len(trials) == 2 && complete(trials) && trials[0].Rate > 0 {
		items = append(items, render.Times(trials[1].Rate/trials[0].Rate))
	}
	s := render.NewScreen(style)
	label := fmt.Sprintf("block %2d  ", block+1)
	for i, line := range render.WrapItems(items, s.Prose-len(label)) {
		if i > 0 {
			label = strings.Repeat(" ", len(label))
		}
		s.Line(render.Dim.Of(label), render.Plain.Of(line))
	}
	return s.Painted()
}
