package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
)

//go:embed comparison.html.tmpl
var comparisonPage string

var comparisonTemplate = template.Must(template.New("comparison").Funcs(template.FuncMap{
	"printable": printable,
	"when":      when,
}).Parse(comparisonPage))

// HTML writes the comparison as one file that needs no other: the verdict, a
// dot plot of the blocks, the table, every trial, and how to repeat it.
func (c Comparison) HTML(w io.Writer) error {
	return comparisonTemplate.Execute(w, page{
		Comparison: c,
		Headline:   c.headline(), Also: c.otherSentences(), Blocks: c.blockWords(),
		Setup: []string{c.hosts(), c.trialWords()},
		Table: rowsOf(c.table()), Notes: c.notes(),
		Plot:   c.plot(),
		Trials: rowsOf(c.trialTable()),
	})
}

// page is what the template is filled with.
type page struct {
	Comparison
	Headline, Blocks string
	Also, Setup      []string
	Table, Trials    grid
	Notes            []note
	Plot             *plot
}

// grid is a table by rows, as HTML wants it.
type grid struct {
	Head []column
	Rows [][]cellOf
}

type cellOf struct {
	Text string
	Left bool
}

func rowsOf(columns []column) grid {
	g := grid{Head: columns}
	for i := range columns[0].Cells {
		var row []cellOf
		for _, col := range columns {
			row = append(row, cellOf{col.Cells[i], col.Left})
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// trialTable is every trial in the order in which they ran.
func (c Comparison) trialTable() []column {
	columns := []column{{Head: "block"}, {Head: "arm", Left: true}, {Head: "rate"}, {Head: "resent"}, {Head: "RTT under load"}}
	for _, t := range c.Trials {
		resent := "not told"
		if t.Retransmits >= 0 {
			resent = fmt.Sprint(t.Retransmits)
		}
		for i, text := range []string{fmt.Sprint(t.Block + 1), c.armName(t.Arm), rate(t.Rate), resent, known(t.RTTLoad, milliseconds)} {
			columns[i].Cells = append(columns[i].Cells, text)
		}
	}
	return columns
}

// plot is the geometry of the SVG dot plot: a row an arm, the blocks' dots
// joined from row to row. X is in per cent of the axis, so that the plot takes
// the width that the page has; Y is in pixels.
type plot struct {
	Height        float64
	Bottom        float64 // of the axis
	LabelY, UnitY float64
	Ticks         []plotTick
	Pairs         []plotLine
	Rows          []plotRow
	Unit          string
	Log           bool
}

type plotTick struct {
	X     float64
	Label string
}

type plotRow struct {
	Name     string
	NameY, Y float64
	Dots     []plotDot
	// Known is false where no block is complete: there is no median then.
	Known             bool
	Median, Low, Wide float64
	// Told is where a source's figure stands, both its ends.
	Told []float64
}

type plotDot struct {
	X     float64
	Title string
}

type plotLine struct{ X1, Y1, X2, Y2 float64 }

const (
	plotRowHeight = 56 // pixels
	plotRowMiddle = 38 // of the dots below the row's top, its name above them
)

// plot lays the dot plot out; nil where nothing was measured.
func (c Comparison) plot() *plot {
	axis, ok := newRateAxis(c.plotted())
	if !ok {
		return nil
	}
	p := &plot{Bottom: float64(len(c.Arms)*plotRowHeight + 8), Unit: axis.Unit, Log: axis.Log}
	p.LabelY, p.UnitY, p.Height = p.Bottom+18, p.Bottom+36, p.Bottom+42
	x := func(v float64) float64 { return math.Round(axis.at(v)*1e4) / 1e2 }
	y := func(arm int) float64 { return float64(arm*plotRowHeight + plotRowMiddle) }
	for _, v := range axis.Ticks {
		p.Ticks = append(p.Ticks, plotTick{x(v), axis.label(v)})
	}
	for arm := range c.Arms {
		row := plotRow{Name: c.label(arm), Y: y(arm), NameY: y(arm) - 20}
		if s := c.summary(arm); s != nil {
			row.Known = true
			row.Median, row.Low = x(s.Rate), x(s.Interval.Low)
			row.Wide = math.Round((x(s.Interval.High)-row.Low)*1e2) / 1e2
		}
		if told := c.reported(arm).Rate; told.High > 0 {
			row.Told = slices.Compact([]float64{x(told.Low), x(told.High)})
		}
		for _, t := range c.Trials {
			if t.Arm == arm {
				row.Dots = append(row.Dots, plotDot{x(t.Rate), fmt.Sprintf("%s, block %d: %s", c.armName(arm), t.Block+1, rate(t.Rate))})
			}
		}
		p.Rows = append(p.Rows, row)
	}
	for _, block := range blocksOf(c.Trials, len(c.Arms)) {
		for arm := 1; arm < len(block); arm++ {
			if from, to := block[arm-1], block[arm]; from != nil && to != nil {
				p.Pairs = append(p.Pairs, plotLine{x(from.Rate), y(arm - 1), x(to.Rate), y(arm)})
			}
		}
	}
	return p
}
