package render

import (
	"strings"
	"unicode/utf8"
)

// fold makes running text of lines.
func fold(text string) string { return strings.Join(strings.Fields(text), " ") }

// wrapAfter breaks text into lines that end within width columns. The first
// begins after as many columns as first, the others after rest. It is empty if no
// word fits there that would fit below.
func wrapAfter(text string, width, first, rest int) []string {
	var lines []string
	line, from := "", first
	for word := range strings.SplitSeq(text, " ") {
		n := utf8.RuneCountInString(line)
		if (n > 0 || from > rest) && from+n+min(n, 1)+utf8.RuneCountInString(word) > width {
			lines, line, from = append(lines, line), "", rest
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// WrapItems joins items with commas into lines of at most so many columns. One that
// is wider breaks at a word.
func WrapItems(items []string, columns int) []string {
	var lines []string
	for i, item := range items {
		if i < len(items)-1 {
			item += ","
		}
		last := len(lines) - 1
		if last >= 0 && width(lines[last])+1+width(item) <= columns {
			lines[last] += " " + item
		} else {
			lines = append(lines, wrapAfter(item, columns, 0, 0)...)
		}
	}
	return lines
}

// Clip cuts a text that no layout could fit, and shows that it did.
func Clip(text string, columns int) string {
	text = Printable(text)
	if utf8.RuneCountInString(text) <= columns {
		return text
	}
	return string([]rune(text)[:columns-1]) + "…"
}

// Pad fills a text up to so many columns; what is longer stays whole.
func Pad(text string, columns int) string {
	return text + strings.Repeat(" ", max(columns-width(text), 0))
}
