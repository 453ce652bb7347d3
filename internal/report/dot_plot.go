package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"unchoke/internal/compare"
	"unchoke/internal/record"
)

// dotPlot draws a strip an arm on a common axis: each block's rate a dot, the
// median and its interval on the same line.
func (c Comparison) dotPlot(b *strings.Builder, s Style, width int) {
	axis, ok := newRateAxis(c.plotted())
	if !ok {
		return
	}
	nameWidth := utf8.RuneCountInString(axis.Unit)
	for arm := range c.Arms {
		nameWidth = max(nameWidth, utf8.RuneCountInString(printable(c.label(arm))))
	}
	nameWidth = min(nameWidth, width/3)
	columns := width - 2 - nameWidth - 2
	for arm := range c.Arms {
		fmt.Fprintf(b, "  %-*s  %s\n", nameWidth, clip(printable(c.label(arm)), nameWidth), c.strip(axis, arm, columns))
	}
	ticks, labels := axis.ruler(columns)
	fmt.Fprintln(b, s.paint(dim, fmt.Sprintf("  %-*s  %s", nameWidth, "", ticks)))
	fmt.Fprintln(b, s.paint(dim, strings.TrimRight(fmt.Sprintf("  %-*s  %s", nameWidth, axis.Unit, labels), " ")))
	legend := "• a block, 2–9 as many at one place; ◆ median, ─ its 95 % interval"
	if c.Reported != nil {
		legend += "; ◇ reported"
	}
	if axis.Log {
		legend += "; logarithmic"
	}
	for _, line := range wrap(legend, width-4-nameWidth) {
		fmt.Fprintln(b, s.paint(dim, fmt.Sprintf("  %-*s  %s", nameWidth, "", line)))
	}
}

// plotted are all rates that a plot shows.
func (c Comparison) plotted() []float64 {
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
func (c Comparison) strip(axis rateAxis, arm, columns int) string {
	cells := make([]rune, columns)
	for i := range cells {
		cells[i] = ' '
	}
	place := func(v float64) int { return int(math.Round(axis.at(v) * float64(columns-1))) }
	s := c.summary(arm)
	if s != nil {
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

// ruler is the axis: its line with a mark at each tick, and the labels below
// those that have the room.
func (a rateAxis) ruler(columns int) (line, labels string) {
	marks, text := make([]rune, columns), make([]rune, columns)
	for i := range columns {
		marks[i], text[i] = '─', ' '
	}
	free := 0
	for _, v := range a.Ticks {
		at := int(math.Round(a.at(v) * float64(columns-1)))
		switch at {
		case 0:
			marks[at] = '└'
		case columns - 1:
			marks[at] = '┘'
		default:
			marks[at] = '┴'
		}
		label := []rune(a.label(v))
		from := max(at-len(label)/2, 0)
		from = min(from, columns-len(label))
		if from < free {
			continue
		}
		copy(text[from:], label)
		free = from + len(label) + 1
	}
	return string(marks), string(text)
}

// Block is one block's line while a comparison runs: each arm's rate and, of
// two, their ratio.
func Block(c *record.Comparison, block int, s Style) string {
	blocks := blocksOf(c.Trials, len(c.Arms))
	if block < 0 || block >= len(blocks) {
		return ""
	}
	trials, names := blocks[block], compare.Labels(c)
	var items []string
	for arm, t := range trials {
		if t != nil {
			items = append(items, printable(names[arm])+" "+rate(t.Rate))
		}
	}
	if len(trials) == 2 && complete(trials) && trials[0].Rate > 0 {
		items = append(items, times(trials[1].Rate/trials[0].Rate))
	}
	label := fmt.Sprintf("block %2s  ", strconv.Itoa(block+1))
	lines := wrapItems(items, min(max(s.Width, 40), maxTextWidth)-len(label))
	for i, line := range lines {
		lead := s.paint(dim, label)
		if i > 0 {
			lead = strings.Repeat(" ", len(label))
		}
		lines[i] = lead + line
	}
	return strings.Join(lines, "\n")
}
