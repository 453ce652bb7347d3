package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"

	"unchoke/internal/record"
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

// plot is the geometry of the SVG dot plot, in its own units: a row an arm,
// the blocks' dots joined from row to row.
type plot struct {
	Width, Height  float64
	Left, Right    float64 // ends of the axis
	Top, Bottom    float64
	Ticks          []plotTick
	Rows           []plotRow
	Pairs          []plotLine
	Unit           string
	Log            bool
	LabelY, TitleY float64
}

type plotTick struct {
	X     float64
	Label string
}

type plotRow struct {
	Name           string
	Y, LabelY      float64
	Dots           []plotDot
	Median         float64
	Low, High      float64
	Known          bool
	MedianTop      float64
	MedianBottom   float64
	IntervalTop    float64
	IntervalHeight float64
	Width          float64
}

type plotDot struct {
	X, Y  float64
	Title string
}

type plotLine struct{ X1, Y1, X2, Y2 float64 }

const (
	plotWidth     = 760.0
	plotMargin    = 16.0
	plotRowHeight = 64.0
	plotTop       = 8.0
)

// plot lays the dot plot out; nil where nothing was measured.
func (c Comparison) plot() *plot {
	axis, ok := newRateAxis(c.plotted())
	if !ok {
		return nil
	}
	p := &plot{
		Width: plotWidth, Left: plotMargin + 8, Right: plotWidth - plotMargin - 8, Top: plotTop,
		Bottom: plotTop + float64(len(c.Arms))*plotRowHeight + 8, Unit: axis.Unit, Log: axis.Log,
	}
	p.LabelY, p.TitleY = p.Bottom+18, p.Bottom+38
	p.Height = p.TitleY + 10
	x := func(v float64) float64 { return tenth(p.Left + axis.at(v)*(p.Right-p.Left)) }
	y := func(arm int) float64 { return plotTop + (float64(arm)+0.62)*plotRowHeight }
	for _, v := range axis.Ticks {
		p.Ticks = append(p.Ticks, plotTick{x(v), axis.label(v)})
	}
	for arm := range c.Arms {
		row := plotRow{Name: c.label(arm), Y: y(arm), LabelY: y(arm) - 20}
		if s := c.summary(arm); s != nil {
			row.Known = true
			row.Median, row.Low, row.High = x(s.Rate), x(s.Interval.Low), x(s.Interval.High)
			row.Width = max(tenth(row.High-row.Low), 1)
			row.MedianTop, row.MedianBottom = row.Y-13, row.Y+13
			row.IntervalTop, row.IntervalHeight = row.Y-9, 18
		}
		for _, t := range c.Trials {
			if t.Arm == arm {
				row.Dots = append(row.Dots, plotDot{x(t.Rate), row.Y, fmt.Sprintf("%s, block %d: %s", c.armName(arm), t.Block+1, rate(t.Rate))})
			}
		}
		p.Rows = append(p.Rows, row)
	}
	for _, block := range c.blocks() {
		var before *record.Trial
		for _, t := range block {
			if before != nil && t != nil {
				p.Pairs = append(p.Pairs, plotLine{x(before.Rate), y(before.Arm), x(t.Rate), y(t.Arm)})
			}
			if t != nil {
				before = t
			}
		}
	}
	return p
}

// tenth rounds to what a picture can show.
func tenth(v float64) float64 { return math.Round(v*10) / 10 }
