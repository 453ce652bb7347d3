package compare

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"

	"unchoke/internal/report/render"
)

var (
	//go:embed page.html.tmpl
	comparisonPage string
	//go:embed page.css
	ownStyle  string
	pageStyle = render.PageStyle(ownStyle)
)

var comparisonTemplate = template.Must(template.New("comparison").Funcs(template.FuncMap{
	"when": render.When,
}).Parse(comparisonPage))

// HTML writes the comparison as one file that needs no other: the verdict, a
// dot plot of the blocks, the table, every trial, and how to repeat it.
func (c Report) HTML(w io.Writer) error {
	return render.HTML(w, comparisonTemplate, page{
		Report:   c,
		Headline: c.headline(), Also: c.otherSentences(), Blocks: c.blockWords(),
		Setup: []string{c.hosts(), c.trialWords()},
		Table: render.RowsOf(c.table()), Notes: c.notes(),
		Plot:   c.plot(),
		Trials: render.RowsOf(c.trialTable()),
		Style:  template.CSS(pageStyle),
	})
}

// Policy is the content security policy that the page needs.
func (c Report) Policy() string { return render.Policy(pageStyle, "") }

// page is what the template is filled with.
type page struct {
	Report
	Headline, Blocks string
	Also, Setup      []string
	Table, Trials    render.Grid
	Notes            []note
	Plot             *plot
	Style            template.CSS
}

// trialTable is every trial in the order in which they ran.
func (c Report) trialTable() []render.Column {
	columns := []render.Column{{Head: "block"}, {Head: "arm", Left: true}, {Head: "rate"}, {Head: "resent"}, {Head: "RTT under load"}}
	for _, t := range c.Trials {
		resent := "unknown"
		if t.Retransmits >= 0 {
			resent = fmt.Sprint(t.Retransmits)
		}
		for i, text := range []string{fmt.Sprint(t.Block + 1), c.armName(t.Arm), render.Rate(t.Rate), resent, render.Known(t.RTTLoad, render.Time)} {
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
func (c Report) plot() *plot {
	axis, ok := render.NewRateAxis(c.plotted())
	if !ok {
		return nil
	}
	p := &plot{Bottom: float64(len(c.Arms)*plotRowHeight + 8), Unit: axis.Unit, Log: axis.Log}
	p.LabelY, p.UnitY, p.Height = p.Bottom+18, p.Bottom+36, p.Bottom+42
	x := func(v float64) float64 { return math.Round(axis.At(v)*1e4) / 1e2 }
	y := func(arm int) float64 { return float64(arm*plotRowHeight + plotRowMiddle) }
	for _, v := range axis.Ticks {
		p.Ticks = append(p.Ticks, plotTick{x(v), axis.Label(v)})
	}
	for arm := range c.Arms {
		row := plotRow{Name: c.label(arm), Y: y(arm), NameY: y(arm) - 20}
		if s := c.summary(arm); s != nil {
			row.Known = true
			row.Median, row.Low = x(s.Rate), x(s.Rate)
			if s.Interval.Bounded() {
				row.Low = x(s.Interval.Low)
				row.Wide = math.Round((x(s.Interval.High)-row.Low)*1e2) / 1e2
			}
		}
		if told := c.reported(arm).Rate; told.High > 0 {
			row.Told = slices.Compact([]float64{x(told.Low), x(told.High)})
		}
		for _, t := range c.Trials {
			if t.Arm == arm {
				row.Dots = append(row.Dots, plotDot{x(t.Rate), fmt.Sprintf("%s, block %d: %s", c.armName(arm), t.Block+1, render.Rate(t.Rate))})
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
