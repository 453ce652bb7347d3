// Package fleet shows what was done on many hosts: text, markdown and HTML of the
// same values, and their JSON documents. It sees no host and no network.
package fleet

import (
	_ "embed"
	"html/template"
	"io"
	"math"
	"time"

	"unchoke/internal/report/render"
)

// sheet is a report in parts that each form lays out in its own way.
type sheet struct {
	Title, Subtitle string
	Leads           []lead
	Columns         []render.Column
	Kinds           []string // of the rows: good, bad or empty
	Marks           []mark
	Groups          []group
	Notes           []note
	Started         time.Time
	Version         string
}

// lead is a verdict on all.
type lead struct{ Kind, Word, Rest, Body string }

// group is hosts that have something in common, and what.
type group struct {
	Title string
	Lines []string
}

type note struct{ Label, Text string }

// mark is a gain of a host's, drawn.
type mark struct {
	Host, Text           string
	Ratio, Low, High     float64
	Kind                 string
	X, From, Wide, Y, YT float64 // where it is drawn
}

var colours = map[string]render.Colour{"good": render.Green, "bad": render.Red, "wait": render.Yellow, "": render.Bold}

func (s sheet) text(w io.Writer, style render.Style) error {
	t := render.NewScreen(style)
	t.Lead(render.Bold, s.Title, s.Subtitle)
	for _, l := range s.Leads {
		t.Text("")
		t.Lead(colours[l.Kind], l.Word, l.Rest)
		if l.Body != "" {
			t.Hang(2, render.Plain, l.Body)
		}
	}
	if len(s.Columns) > 0 && len(s.Columns[0].Cells) > 0 {
		t.Text("")
		columns, why := s.whys()
		t.Table(columns, 1, t.Width)
		for i, text := range why {
			if text != "" {
				t.Hang(4, render.Plain, text, render.Plain.Of("  "), render.Bold.Of(columns[0].Cells[i]), render.Plain.Of(": "))
			}
		}
	}
	for _, g := range s.Groups {
		t.Text("")
		t.Hang(0, render.Bold, g.Title)
		for _, line := range g.Lines {
			t.Hang(4, render.Plain, line, render.Plain.Of("  "))
		}
	}
	if len(s.Notes) > 0 {
		t.Text("")
	}
	for _, n := range s.Notes {
		t.Note(n.Label, render.Yellow, n.Text)
	}
	return t.Flush(w)
}

// whys takes the last column off, which has sentences: a terminal shows them below
// the table.
func (s sheet) whys() (columns []render.Column, why []string) {
	last := len(s.Columns) - 1
	if s.Columns[last].Head != whyHead {
		return s.Columns, nil
	}
	return s.Columns[:last], s.Columns[last].Cells
}

// whyHead is the head of the column that has sentences.
const whyHead = "why"

func (s sheet) markdown(w io.Writer) error {
	var m render.Markdown
	m.Heading(2, render.Words(s.Title+" "+s.Subtitle))
	for _, l := range s.Leads {
		m.Paragraph(render.Strong(l.Word), render.Space, render.Words(l.Rest))
		if l.Body != "" {
			m.Paragraph(render.Words(l.Body))
		}
	}
	if len(s.Columns) > 0 && len(s.Columns[0].Cells) > 0 {
		m.Table(s.Columns)
	}
	for _, g := range s.Groups {
		m.Heading(3, render.Words(g.Title))
		m.List(g.Lines...)
	}
	for _, n := range s.Notes {
		m.Quote(n.Label, n.Text)
	}
	m.Paragraph(render.Words(render.When(s.Started)))
	return m.Flush(w)
}

var (
	//go:embed page.html.tmpl
	pageText string
	//go:embed page.css
	ownStyle  string
	pageStyle = render.PageStyle(ownStyle)
)

// pageTemplate parses the page where one is wanted.
func pageTemplate() *template.Template {
	return template.Must(template.New("fleet").Funcs(template.FuncMap{"when": render.When}).Parse(pageText))
}

// page is what the template is filled with.
type page struct {
	sheet
	Style  template.CSS
	Head   []render.Column
	Rows   []row
	Ticks  []tick
	Height float64
}

type row struct {
	Kind  string
	Cells []render.GridCell
}

type tick struct {
	X    float64
	Text string
	Main bool
}

func (s sheet) html(w io.Writer) error {
	p := page{sheet: s, Style: template.CSS(pageStyle)}
	if len(s.Columns) > 0 && len(s.Columns[0].Cells) > 0 {
		grid := render.RowsOf(s.Columns)
		p.Head = grid.Head
		for i, cells := range grid.Rows {
			r := row{Cells: cells}
			if i < len(s.Kinds) {
				r.Kind = s.Kinds[i]
			}
			p.Rows = append(p.Rows, r)
		}
	}
	p.draw()
	return render.HTML(w, pageTemplate(), p)
}

// The drawing's measures, in its own units.
const (
	plotLeft, plotWide = 190.0, 430.0
	plotTop, plotRow   = 26.0, 22.0
)

// draw places the gains on a logarithmic axis that has 1 on it.
func (p *page) draw() {
	if len(p.Marks) == 0 {
		return
	}
	low, high := 0.5, 2.0
	for _, m := range p.Marks {
		for _, v := range []float64{m.Ratio, m.Low, m.High} {
			if v > 0 && !math.IsInf(v, 0) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	low, high = max(low*0.9, 1e-3), min(high*1.1, 1e3)
	at := func(v float64) float64 {
		v = min(max(v, low), high)
		return plotLeft + plotWide*math.Log(v/low)/math.Log(high/low)
	}
	for i := range p.Marks {
		m := &p.Marks[i]
		m.X, m.From = at(m.Ratio), at(m.Low)
		m.Wide = at(m.High) - m.From
		m.Y = plotTop + plotRow*float64(i)
		m.YT = m.Y + 4
	}
	last := -100.0
	for _, v := range []float64{0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000} {
		if x := at(v); v >= low && v <= high && (v == 1 || x-last > 36) {
			p.Ticks = append(p.Ticks, tick{x, render.Times(v), v == 1})
			last = x
		}
	}
	p.Height = plotTop + plotRow*float64(len(p.Marks))
}
