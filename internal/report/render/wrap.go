package render

import (
	"strings"
	"unicode/utf8"
)

// fold makes running text of lines.
func fold(text string) string { return strings.Join(strings.Fields(text), " ") }

// wrapAfter breaks text into lines that end within width columns. The first
// begins after as many columns as first, the others after rest.
func wrapAfter(text string, width, first, rest int) []string {
	var lines []string
	line, from := "", first
	for word := range strings.SplitSeq(text, " ") {
		if line != "" && from+utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines, line, from = append(lines, line), "", rest
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// WrapItems joins items with commas into lines of at most so many columns.
func WrapItems(items []string, columns int) []string {
	var lines []string
	line := ""
	for _, item := range items {
		switch {
		case line == "":
			line = item
		case width(line)+len(", ")+width(item)+len(",") > columns:
			lines = append(lines, line+",")
			line = item
		default:
			line += ", " + item
		}
	}
	if line != "" {
		lines = append(lines, line)
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
