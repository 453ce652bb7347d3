package render

import (
	"cmp"
	"io"
	"strings"
	"unicode/utf8"
)

// Style is what the terminal can show.
type Style struct {
	Width  int // columns; 0 for no terminal
	Colour bool
}

// Colour is how a span of text stands out, as SGR parameters (ECMA-48 §8.3.117).
type Colour string

// The colours.
const (
	Plain  Colour = ""
	Bold   Colour = "1"
	Dim    Colour = "2"
	Red    Colour = "1;31"
	Green  Colour = "1;32"
	Yellow Colour = "1;33"
)

// Of gives text a colour.
func (c Colour) Of(text string) Span { return Span{c, text} }

// Span is text of one colour, not yet made printable.
type Span struct {
	colour Colour
	text   string
}

// Screen collects a report for a terminal, line by line. All text passes it and
// is made printable there (Printable). The only escape sequences that come out
// are those of its colours, so no host, record or file can send any.
type Screen struct {
	// Width is that of the terminal, Prose that of running text: long lines are
	// hard to read. Both in columns.
	Width, Prose int
	// Whole says that nothing cuts long lines: there is no terminal.
	Whole bool

	colour bool
	b      strings.Builder
}

// Columns within which a report is laid out.
const (
	leastWidth = 40
	mailWidth  = 80 // of text for no terminal, as in a mail or a pull request
	proseWidth = 100
)

// NewScreen begins a report.
func NewScreen(s Style) *Screen {
	width := max(cmp.Or(s.Width, mailWidth), leastWidth)
	return &Screen{Width: width, Prose: min(width, proseWidth), Whole: s.Width == 0, colour: s.Colour}
}

// Painted is text with its colours, ready for a terminal. Screens make it.
type Painted string

// Painted is the report so far.
func (s *Screen) Painted() Painted { return Painted(s.b.String()) }

// Flush writes the report.
func (s *Screen) Flush(w io.Writer) error {
	_, err := io.WriteString(w, s.b.String())
	return err
}

// Line writes one line.
func (s *Screen) Line(spans ...Span) {
	for _, span := range spans {
		s.b.WriteString(s.paint(span))
	}
	s.b.WriteByte('\n')
}

// Text writes one line without colour.
func (s *Screen) Text(line string) { s.Line(Plain.Of(line)) }

func (s *Screen) paint(span Span) string {
	text := Printable(span.text)
	if !s.colour || span.colour == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(span.colour) + "m" + text + "\x1b[0m"
}

// hangAtLeast is where the second line of running text begins, at least: what
// begins a line of the report is the report's own.
const hangAtLeast = 2

// Hang writes running text: the first line after lead, or after as many spaces
// as indent says, further ones after these.
func (s *Screen) Hang(indent int, colour Colour, text string, lead ...Span) {
	first := indent
	if len(lead) > 0 {
		first = 0
		for _, span := range lead {
			first += utf8.RuneCountInString(Printable(span.text))
		}
	} else {
		lead = []Span{Plain.Of(strings.Repeat(" ", indent))}
	}
	indent = max(indent, hangAtLeast)
	for i, line := range wrapAfter(Printable(fold(text)), s.Prose, first, indent) {
		if i > 0 {
			lead = []Span{Plain.Of(strings.Repeat(" ", indent))}
		}
		s.Line(append(lead[:len(lead):len(lead)], colour.Of(line))...)
	}
}

// Block writes each line of a text that has its own, indented.
func (s *Screen) Block(indent int, colour Colour, text string) {
	for line := range strings.Lines(text) {
		s.Line(Plain.Of(strings.Repeat(" ", indent)), colour.Of(strings.TrimRight(line, "\r\n")))
	}
}

// Lead writes a word that stands out and what follows it: below it where the
// screen is too narrow for both.
func (s *Screen) Lead(colour Colour, word, rest string) {
	if width(word)+2+width(rest) <= s.Prose {
		s.Line(colour.Of(word), Plain.Of("  "+rest))
		return
	}
	s.Line(colour.Of(word))
	s.Hang(2, Plain, rest)
}

// Figure writes what a figure is, within so many columns or as many as there are,
// and the figure behind the last of its lines.
func (s *Screen) Figure(indent, columns int, what, figure string) {
	columns = min(columns, s.Prose-indent-1-width(figure))
	lines := wrapAfter(Printable(what), columns, 0, hangAtLeast)
	for i, line := range lines {
		if i > 0 {
			line = strings.Repeat(" ", hangAtLeast) + line
		}
		line = strings.Repeat(" ", indent) + line
		if i == len(lines)-1 {
			line = Pad(line, indent+columns) + " " + figure
		}
		s.Text(line)
	}
}

// Note writes a remark with its label.
func (s *Screen) Note(label string, colour Colour, text string) {
	s.Hang(2, colour, text, colour.Of(label+": "))
}

// width is how many columns a text takes.
func width(text string) int { return utf8.RuneCountInString(Printable(text)) }
