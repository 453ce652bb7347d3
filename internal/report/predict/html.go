package predict

import (
	_ "embed"
	"html/template"
	"io"
	"math"

	"unchoke/internal/report/render"
)

var (
	//go:embed page.html.tmpl
	pageText string
	//go:embed page.css
	ownStyle  string
	pageStyle = render.PageStyle(ownStyle)
)

var pageTemplate = template.Must(template.New("prediction").Parse(pageText))

// HTML writes the prediction as one file that needs no other: the answer, the
// measured and the predicted side by side, the tables.
func (r Report) HTML(w io.Writer) error {
	return render.HTML(w, pageTemplate, page{
		Report: r, Headline: r.headline(), Name: r.name(), Repeat: r.repeat(),
		Likeness: render.RowsOf(r.likeness()), Table: render.RowsOf(r.table()), Costs: render.RowsOf(r.costs()), Plot: r.plot(),
		Style: template.CSS(pageStyle),
	})
}

// Policy is the content security policy that the page needs.
func (r Report) Policy() string { return render.Policy(pageStyle, "") }

// page is what the template is filled with.
type page struct {
	Report
	Headline, Name, Repeat string
	Likeness, Table, Costs render.Grid
	Plot                   *plot
	Style                  template.CSS
}

// plot is the geometry of the bars: X in per cent of the axis, Y in pixels.
type plot struct {
	Height, Bottom, LabelY float64
	Ticks                  []tick
	Bars                   []bar
	Unit                   string
}

type tick struct {
	X     float64
	Label string
}

// bar is a rate with its interval; Measured bars have none.
type bar struct {
	Name         string
	NameY, Y     float64
	X, Low, Wide float64
	Measured     bool
}

const barHeight = 48 // pixels

// plot draws what was measured of one stream above what is predicted; nil where
// there is nothing.
func (r Report) plot() *plot {
	type row struct {
		name            string
		rate, low, high float64
		measured        bool
	}
	var rows []row
	var values []float64
	for _, c := range r.Fit.Compared {
		if c.MeasuredRate != nil && c.What == "one stream "+string(c.Direction) {
			rows = append(rows, row{c.Direction.Word() + ", measured", *c.MeasuredRate, *c.MeasuredRate, *c.MeasuredRate, true})
		}
	}
	for _, a := range r.Arms {
		rows = append(rows, row{a.Direction.Word() + ", " + a.Arm, a.Rate, a.Low, a.High, false})
	}
	for _, x := range rows {
		values = append(values, x.rate, x.low, x.high)
	}
	axis, ok := render.NewRateAxis(values)
	if !ok {
		return nil
	}
	p := &plot{Bottom: float64(len(rows)*barHeight + 8), Unit: axis.Unit}
	p.LabelY, p.Height = p.Bottom+18, p.Bottom+42
	x := func(v float64) float64 { return math.Round(axis.At(v)*1e4) / 1e2 }
	for _, v := range axis.Ticks {
		p.Ticks = append(p.Ticks, tick{x(v), axis.Label(v)})
	}
	for i, row := range rows {
		y := float64(i*barHeight + barHeight - 14)
		b := bar{Name: row.name, NameY: y - 18, Y: y, X: x(row.rate), Low: x(row.low), Measured: row.measured}
		b.Wide = math.Round((x(row.high)-b.Low)*1e2) / 1e2
		p.Bars = append(p.Bars, b)
	}
	return p
}
