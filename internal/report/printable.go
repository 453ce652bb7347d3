package report

import (
	"fmt"
	"strings"
	"unicode"
)

// printable makes what others named (targets, arms, a far end's own words)
// safe to show: control characters, line breaks and the marks that turn the
// direction of writing, with which a name could draw over the report around
// it, are shown as escapes.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case unicode.IsGraphic(r):
			b.WriteRune(r)
		case r <= 0xff:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// markdown makes a text plain in markdown and in a cell of its tables: no
// markup, no HTML, no link.
func markdown(s string) string {
	var b strings.Builder
	for _, r := range printable(s) {
		if strings.ContainsRune("\\`*_[]<>|&~#", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// codeSpan shows a text as it is, in the font of code: between one backtick
// more than it has in a row itself (CommonMark §6.1).
func codeSpan(s string) string {
	s = strings.ReplaceAll(printable(s), "|", `\|`)
	longest, run := 0, 0
	for _, r := range s {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if s == "" || strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}
