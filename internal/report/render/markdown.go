package render

import (
	"io"
	"strconv"
	"strings"
)

// Markdown collects a document in markdown (CommonMark with GitHub's tables).
// All text passes it as an Inline, which only this package makes, so that no
// host, record or file can write markup, HTML or a line of its own.
type Markdown struct{ b strings.Builder }

// Inline is a part of a line, as markup.
type Inline struct{ markup string }

// Words is text without markup.
func Words(s string) Inline {
	var b strings.Builder
	for _, r := range Printable(fold(s)) {
		if strings.ContainsRune("\\`*_[]<>|&~#", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return Inline{b.String()}
}

// Space stands between two parts; Words drops spaces at its ends.
var Space = Inline{" "}

// Strong is text that stands out.
func Strong(s string) Inline { return Inline{"**" + Words(s).markup + "**"} }

// Code shows a text as it is, in the font of code: between one backtick more
// than it has in a row itself (CommonMark §6.1).
func Code(s string) Inline {
	s = strings.ReplaceAll(Printable(s), "|", `\|`)
	fence := strings.Repeat("`", longestRun(s, '`')+1)
	if s == "" || strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return Inline{fence + s + fence}
}

func longestRun(s string, of rune) int {
	longest, run := 0, 0
	for _, r := range s {
		if run++; r != of {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// Flush writes the document.
func (m *Markdown) Flush(w io.Writer) error {
	_, err := io.WriteString(w, strings.TrimLeft(m.b.String(), "\n"))
	return err
}

// Heading writes one of a level from 1.
func (m *Markdown) Heading(level int, parts ...Inline) {
	m.block(strings.Repeat("#", level)+" ", parts)
}

// Paragraph writes one.
func (m *Markdown) Paragraph(parts ...Inline) { m.block("", parts) }

// Quote writes a remark with its label.
func (m *Markdown) Quote(label, text string) {
	m.block("> ", []Inline{Words(label + ": " + text)})
}

// List writes an item each.
func (m *Markdown) List(items ...string) {
	for i, item := range items {
		m.item(i, "- ", Words(item))
	}
}

// Step writes the nth step of a list, from 1, and its command where there is
// one.
func (m *Markdown) Step(n int, text, command string) {
	m.item(n-1, strconv.Itoa(n)+". ", Words(text))
	if command != "" {
		m.Fence("   ", "sh", command)
	}
}

func (m *Markdown) item(before int, mark string, text Inline) {
	if before == 0 {
		m.b.WriteByte('\n')
	}
	m.b.WriteString(mark + blockStart(text.markup) + "\n")
}

// Fence writes a block of code, each line of it indented.
func (m *Markdown) Fence(indent, language, text string) {
	fence := strings.Repeat("`", max(longestRun(text, '`')+1, 3))
	m.b.WriteString(indent + fence + language + "\n")
	for line := range strings.Lines(text) {
		m.b.WriteString(indent + Printable(strings.TrimRight(line, "\r\n")) + "\n")
	}
	m.b.WriteString(indent + fence + "\n")
}

// Table writes one.
func (m *Markdown) Table(columns []Column) {
	m.b.WriteByte('\n')
	cells := func(of func(Column) string) (out []string) {
		for _, c := range columns {
			out = append(out, of(c))
		}
		return out
	}
	m.b.WriteString(MarkdownRow(cells(func(c Column) string { return c.Head })...))
	for _, c := range columns {
		if c.Left {
			m.b.WriteString("|---")
		} else {
			m.b.WriteString("|---:")
		}
	}
	m.b.WriteString("|\n")
	for row := range columns[0].Cells {
		m.b.WriteString(MarkdownRow(cells(func(c Column) string { return c.Cells[row] })...))
	}
}

// MarkdownRow is one row of a table, its cells as text.
func MarkdownRow(cells ...string) string {
	var b strings.Builder
	for _, cell := range cells {
		b.WriteString("| " + Words(cell).markup + " ")
	}
	return b.String() + "|\n"
}

func (m *Markdown) block(mark string, parts []Inline) {
	var line strings.Builder
	for _, p := range parts {
		line.WriteString(p.markup)
	}
	m.b.WriteString("\n" + mark + blockStart(strings.TrimSpace(line.String())) + "\n")
}

// blockStart keeps the beginning of a text from being taken for that of a list
// or a rule. A number begins a list item where a space or nothing follows its
// period (CommonMark §5.2); an address has more.
func blockStart(markup string) string {
	rest := strings.TrimLeft(markup, "0123456789")
	switch {
	case markup == "":
		return ""
	case strings.ContainsAny(markup[:1], "-+="):
		return `\` + markup
	case rest != markup && rest != "" && strings.ContainsAny(rest[:1], ".)") && (len(rest) == 1 || rest[1] == ' '):
		return markup[:len(markup)-len(rest)] + `\` + rest
	}
	return markup
}
