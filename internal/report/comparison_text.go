package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"unchoke/internal/compare"
)

// Text writes one screen: what was compared, the table, the dot plot, the
// verdict, what it costs, how to repeat it.
func (c Comparison) Text(w io.Writer, s Style) error {
	width := min(max(s.Width, 40), maxTextWidth)
	var b strings.Builder
	lead(&b, s, bold, c.Target, c.subject(), width)
	for _, line := range []string{c.hosts(), c.trialWords()} {
		for _, line := range wrap(printable(line), width) {
			fmt.Fprintln(&b, s.paint(dim, line))
		}
	}
	fmt.Fprintln(&b)
	textTable(&b, s, c.table(), len(c.nameColumns()), width)
	fmt.Fprintln(&b)
	c.dotPlot(&b, s, width)
	fmt.Fprintln(&b)
	lead(&b, s, answerColour[c.Verdict], strings.ToUpper(string(c.Verdict)), c.headline(), width)
	for _, line := range wrap(c.blockWords(), width) {
		fmt.Fprintln(&b, s.paint(dim, line))
	}
	fmt.Fprintln(&b)
	for _, line := range wrap(printable(c.Sentence), width-2) {
		fmt.Fprintln(&b, "  "+s.paint(bold, line))
	}
	for _, also := range c.otherSentences() {
		for _, line := range wrap(printable(also), width-2) {
			fmt.Fprintln(&b, "  "+line)
		}
	}
	fmt.Fprintln(&b)
	for _, n := range c.notes() {
		if n.Label == "assumed" {
			continue // for those who ask: unchoke lab list --long
		}
		for i, line := range wrap(n.Label+": "+printable(n.Text), width-2) {
			if i > 0 {
				line = "  " + line
			}
			fmt.Fprintln(&b, s.paint(noteColour[n.Label], line))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// lead writes a word that stands out and what follows it, below it where the
// screen is too narrow for both.
func lead(b *strings.Builder, s Style, code, word, rest string, width int) {
	word, rest = printable(word), printable(rest)
	if utf8.RuneCountInString(word)+2+utf8.RuneCountInString(rest) <= width {
		fmt.Fprintln(b, s.paint(code, word)+"  "+rest)
		return
	}
	fmt.Fprintln(b, s.paint(code, word))
	for _, line := range wrap(rest, width-2) {
		fmt.Fprintln(b, "  "+line)
	}
}

var answerColour = map[compare.Answer]string{
	compare.Faster:     green,
	compare.Slower:     red,
	compare.Equivalent: green,
	compare.Unclear:    yellow,
	compare.Unstable:   yellow,
}

var noteColour = map[string]string{"costs": yellow, "warning": yellow, "incomplete": red, "reported": dim, "lab path": dim, "seed": dim, "record": dim}
