package tui

import (
	"fmt"
	"strings"
	"unicode"

	"unchoke/internal/report/render"

	"charm.land/lipgloss/v2"
)

// clean makes what others wrote safe for one line of the screen, and of a width
// that is known. What render.Printable escapes is escaped; so is what terminals
// disagree about: marks that combine with the character before, and pictures,
// some of which take one column here and two there.
func clean(s string) string {
	if plainASCII(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if agreed(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return render.Printable(b.String())
}

func plainASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// agreed says whether every terminal draws a character in as many columns.
// Controls pass: render.Printable has an escape for them.
func agreed(r rune) bool {
	switch {
	case r < 0x7f || unicode.IsControl(r) || ours(r):
		return true
	case r >= 0x1160 && r <= 0x11ff || r >= 0xd7b0 && r <= 0xd7ff: // Hangul that joins the letter before
		return false
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsPunct(r):
		return lipgloss.Width(string(r)) > 0
	}
	return !unicode.IsGraphic(r)
}

// ours are the symbols that the project's own words have: ±, ×, → and the like.
func ours(r rune) bool { return strings.ContainsRune("±×÷→←↑↓≤≥≈∞µ§·°²", r) }

// columns is how many a cleaned text takes.
func columns(s string) int {
	if plainASCII(s) {
		return len(s)
	}
	n := 0
	for _, r := range s {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int {
	if r < 0x300 {
		return 1
	}
	return lipgloss.Width(string(r))
}

// cut shortens a cleaned text to a width, and shows that it did.
func cut(s string, width int) string {
	if columns(s) <= width {
		return s
	}
	if width < 1 {
		return ""
	}
	return head(s, width-1) + "…"
}

// head is as much of a text's beginning as has the room.
func head(s string, width int) string {
	for i, r := range s {
		if width -= runeColumns(r); width < 0 {
			return s[:i]
		}
	}
	return s
}

// tail is as much of a text's end as has the room.
func tail(s string, width int) string {
	runes := []rune(s)
	from := len(runes)
	for from > 0 && width >= runeColumns(runes[from-1]) {
		from--
		width -= runeColumns(runes[from])
	}
	return string(runes[from:])
}

// cutMiddle keeps both ends: an address' port and its network say more than
// what is between.
func cutMiddle(s string, width int) string {
	if columns(s) <= width || width < 8 {
		return cut(s, width)
	}
	end := (width - 1) / 2
	return head(s, width-1-end) + "…" + tail(s, end)
}

// left and right fill a cleaned text up to exactly a width, or cut it.
func left(s string, width int) string {
	s = cut(s, width)
	return s + strings.Repeat(" ", width-columns(s))
}

func right(s string, width int) string {
	s = cut(s, width)
	return strings.Repeat(" ", width-columns(s)) + s
}

// wrap breaks a cleaned text into lines of a width; a word that is wider is
// broken too, so that a command can be read whole.
func wrap(s string, width int) []string {
	width = max(width, 1)
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(s) {
		if line != "" && columns(line)+1+columns(word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for line = word; columns(line) > width; {
			first := head(line, width)
			if first == "" { // one wide character in a single column
				return append(lines, cut(line, width))
			}
			lines, line = append(lines, first), line[len(first):]
		}
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}
