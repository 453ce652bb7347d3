package render

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Printable makes a text safe to show on one line. Control characters, line
// breaks and the marks that turn the direction of writing (all with which a
// name could draw over the report around it) are shown as escapes.
func Printable(s string) string {
	return escape(s, func(r rune) string {
		switch {
		case r <= 0xff:
			return fmt.Sprintf(`\x%02x`, r)
		case r <= 0xffff:
			return fmt.Sprintf(`\u%04x`, r)
		}
		return fmt.Sprintf(`\U%08x`, r)
	})
}

// layout are the characters that a document is laid out with.
const layout = "\n\t"

// printableDocument makes a whole JSON or HTML document safe to show. In JSON,
// where such characters stand only within strings, it loses nothing.
func printableDocument(s string) string {
	return escape(s, func(r rune) string {
		if strings.ContainsRune(layout, r) {
			return string(r)
		}
		if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
			return fmt.Sprintf(`\u%04x\u%04x`, high, low)
		}
		return fmt.Sprintf(`\u%04x`, r)
	})
}

// escape replaces each character that is not graphic.
func escape(s string, by func(rune) string) string {
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if strconv.IsGraphic(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(by(r))
		}
	}
	return b.String()
}

// isASCII says that all of it is printable ASCII, as nearly all text is.
func isASCII(s string) bool {
	for k := range len(s) {
		if s[k] < ' ' || s[k] > '~' {
			return false
		}
	}
	return true
}
