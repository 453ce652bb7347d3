package check

import (
	"fmt"
	"io"
	"strings"

	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

// Markdown writes the check for an issue or a forum: the verdict first, then
// tables.
func (c Report) Markdown(w io.Writer) error {
	var m render.Markdown
	lead, where := c.leading()
	m.Heading(2, render.Words(c.Target+": "+string(lead.Cause)))
	m.Paragraph(render.Strong(render.Capital(c.headline())),
		render.Space, render.Words(fmt.Sprintf("(%s; %s). %s", ways(where), c.sureness(lead), strings.Join(append(c.summaries(), costWords(lead)), " "))))
	var facts []render.Inline
	for _, line := range append([]string{c.flowLine(), c.pathLine()}, c.setupLines()...) {
		if line != "" {
			facts = append(facts, render.Words(render.Capital(line)+"."), render.Space)
		}
	}
	m.Paragraph(facts...)
	for _, line := range c.fetchLines() {
		m.Quote("server", line)
	}
	m.Table(c.transferTable())
	if len(lead.Evidence) > 0 {
		m.Table(evidenceTable(lead))
	}
	for i, s := range c.steps() {
		m.Step(i+1, s.words(), s.command())
	}
	if c.Proof != "" {
		m.Paragraph(render.Words("Proof:"), render.Space, render.Code(c.Proof))
	}
	for _, f := range c.others() {
		m.Paragraph(render.Words("Also"), render.Space, render.Strong(string(f.Cause)), render.Space,
			render.Words("("+f.Direction.Word()+"): "+f.Summary+" "+costWords(f)))
	}
	for _, x := range c.problemWords() {
		m.Quote("server", x)
	}
	if words := c.unknownWords(); words != "" {
		m.Quote("unknown from this side", words)
	}
	for _, x := range c.Warnings {
		m.Quote("warning", x)
	}
	if line := c.tunnelLine(); line != "" {
		m.Quote("tunnel", line)
	}
	for _, x := range c.tunnelNotes() {
		m.Quote("tunnel", x)
	}
	for _, x := range c.flowNotes() {
		m.Quote(x.Label, x.Text)
	}
	for _, x := range c.leftOut() {
		m.Quote("left out", x)
	}
	if c.Error != "" {
		m.Quote("incomplete", c.Error)
	}
	if c.Record == "" {
		m.Paragraph(render.Words(render.When(c.Started)))
	} else {
		m.Paragraph(render.Words(render.When(c.Started)+", record"), render.Space, render.Code(c.Record))
	}
	c.sinceMarkdown(&m)
	return m.Flush(w)
}

func (c Report) transferTable() []render.Column {
	columns := []render.Column{{Head: "direction", Left: true}, {Head: "test", Left: true}, {Head: "rate"}, {Head: "retransmits or loss"}}
	for _, d := range record.Directions {
		for _, t := range c.tests(d) {
			for i, cell := range transferCells(t) {
				columns[i].Cells = append(columns[i].Cells, cell)
			}
		}
	}
	return columns
}

func transferCells(t record.Transfer) []string {
	if t.UDP != nil {
		loss := 0.0
		if t.UDP.Packets > 0 {
			loss = float64(t.UDP.Lost) / float64(t.UDP.Packets)
		}
		return []string{t.Direction.Word(), "UDP, " + render.Rate(t.UDP.Sent) + " sent", render.Rate(t.UDP.Delivered), render.Ratio(loss)}
	}
	test := "TCP, " + render.Plural(t.Streams, "stream")
	if t.CC != "" {
		test += ", " + t.CC
	}
	return []string{t.Direction.Word(), test, render.Rate(t.SteadyRate), render.Count(float64(t.Retransmits))}
}

func evidenceTable(f finding.Finding) []render.Column {
	columns := []render.Column{{Head: "evidence", Left: true}, {Head: "figure"}}
	for _, e := range f.Evidence {
		what := e.What
		if e.Source != "" {
			what += " (" + e.Source + ")"
		}
		columns[0].Cells = append(columns[0].Cells, what)
		columns[1].Cells = append(columns[1].Cells, render.Evidence(e))
	}
	return columns
}
