package compare

import (
	"io"
	"strings"

	"unchoke/internal/compare"
	"unchoke/internal/report/render"
)

// Text writes one screen: what was compared, the table, the dot plot, the
// verdict, what it costs, how to repeat it.
func (c Report) Text(w io.Writer, style render.Style) error {
	s := render.NewScreen(style)
	s.Lead(render.Bold, c.Target, c.subject())
	for _, line := range []string{c.hosts(), c.trialWords()} {
		s.Hang(0, render.Dim, line)
	}
	s.Text("")
	s.Table(c.table(), len(c.nameColumns()), s.Prose)
	s.Text("")
	c.dotPlot(s)
	s.Text("")
	s.Lead(answerColour[c.Verdict], strings.ToUpper(string(c.Verdict)), c.headline())
	s.Hang(0, render.Dim, c.blockWords())
	s.Text("")
	s.Hang(2, render.Bold, c.Sentence)
	for _, also := range c.otherSentences() {
		s.Hang(2, render.Plain, also)
	}
	s.Text("")
	for _, n := range c.notes() {
		if n.Label == "assumed" {
			continue // for those who ask: unchoke lab list --long
		}
		s.Note(n.Label, noteColour[n.Label], n.Text)
	}
	return s.Flush(w)
}

var answerColour = map[compare.Answer]render.Colour{
	compare.Faster:     render.Green,
	compare.Slower:     render.Red,
	compare.Equivalent: render.Green,
	compare.Unclear:    render.Yellow,
	compare.Unstable:   render.Yellow,
}

var noteColour = map[string]render.Colour{"costs": render.Yellow, "warning": render.Yellow, "incomplete": render.Red, "reported": render.Dim, "lab path": render.Dim, "seed": render.Dim, "record": render.Dim}
