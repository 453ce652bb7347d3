//go:build !slim

package check

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

var (
	//go:embed page.html.tmpl
	pageText string
	//go:embed page.css
	ownStyle  string
	pageStyle = render.PageStyle(ownStyle)
)

// pageTemplate parses the page where one is wanted: a package that did so for
// every program would bring templates into the slim build.
func pageTemplate() *template.Template {
	return template.Must(template.New("check").Funcs(template.FuncMap{"when": render.When}).Parse(pageText))
}

// HTML writes the check as one file that needs no other: the verdict, what to
// do, the evidence, and what was measured.
func (c Report) HTML(w io.Writer) error {
	lead, where := c.leading()
	p := page{
		Report: c, Style: template.CSS(pageStyle), Lead: lead, Kind: kind(lead.Cause), Title: render.Capital(c.headline()),
		Where: ways(where), Sure: c.sureness(lead), Summaries: append(c.summaries(), costWords(lead)),
		Setup:    append([]string{c.flowLine(), render.Capital(c.pathLine())}, append(c.setupLines(), c.fetchLines()...)...),
		Forecast: c.predicted(), Notes: c.notes(),
	}
	for _, f := range c.others() {
		p.Others = append(p.Others, pageOther{f.Cause, f.Direction.Word(), strings.TrimSpace(f.Summary + " " + costWords(f))})
	}
	for _, s := range c.steps() {
		p.Remedies = append(p.Remedies, pageRemedy{s.words(), s.command()})
	}
	for _, e := range lead.Evidence {
		p.Evidence = append(p.Evidence, pageEvidence{e.What, e.Source, render.Evidence(e)})
	}
	for _, d := range record.Directions {
		for _, t := range c.tests(d) {
			most := peak(&t, lineColumns)
			p.Tests = append(p.Tests, pageTest{transferCells(t), line(&t, most), render.Rate(most)})
		}
	}
	if s := c.Since; s != nil {
		if len(s.Ways) > 0 {
			grid := render.RowsOf(sinceTable(*s))
			p.SinceTable = &grid
		}
		p.SinceSentences = sinceSentences(*s)
	}
	return render.HTML(w, pageTemplate(), p)
}

// Policy is the content security policy that the page needs.
func (c Report) Policy() string { return render.Policy(pageStyle, "") }

// page is what the template is filled with.
type page struct {
	Report
	Style            template.CSS
	Lead             finding.Finding
	Kind, Title      string
	Where, Sure      string
	Setup, Summaries []string
	Remedies         []pageRemedy
	Forecast         []string
	Evidence         []pageEvidence
	Others           []pageOther
	Tests            []pageTest
	Notes            []note
	SinceTable       *render.Grid
	SinceSentences   []string
}

type pageRemedy struct{ Words, Command string }

type pageEvidence struct{ What, Source, Figure string }

// pageTest is a transfer: its cells, and its rate over time as an SVG line.
type pageTest struct {
	Cells []string
	Line  string
	Peak  string
}

type pageOther struct {
	Cause           finding.Cause
	Direction, Text string
}

// kind is how the verdict is marked; faults need no word.
func kind(c finding.Cause) string {
	switch c {
	case finding.Healthy:
		return "good"
	case finding.Unclear:
		return "unsure"
	}
	return ""
}

// lineColumns are the points of a line less one.
const lineColumns = 60

// line draws a transfer's rate over time in a box of 240 × 28, from 0 at the
// bottom to top bit/s, with room for the stroke; empty where there is nothing.
func line(t *record.Transfer, top float64) string {
	if len(t.Intervals) == 0 || top <= 0 {
		return ""
	}
	var points []string
	for i := range lineColumns {
		share := t.Goodput(float64(i)/lineColumns, float64(i+1)/lineColumns) / top
		points = append(points, fmt.Sprintf("%.1f,%.1f", float64(i)*240/(lineColumns-1), 27-26*min(max(share, 0), 1)))
	}
	return strings.Join(points, " ")
}

// notes are what the reader should know beside the verdict.
func (c Report) notes() []note {
	var out []note
	add := func(label string, texts ...string) {
		for _, text := range texts {
			if text != "" {
				out = append(out, note{label, text})
			}
		}
	}
	add("server", c.problemWords()...)
	add("unknown from this side", c.unknownWords())
	add("warning", c.Warnings...)
	add("tunnel", c.tunnelLine())
	add("tunnel", c.tunnelNotes()...)
	out = append(out, c.flowNotes()...)
	add("left out", c.leftOut()...)
	add("incomplete", c.Error)
	return out
}
