package filter

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a token is.
type kind int

const (
	end     kind = iota
	word         // a key or a value
	quoted       // a value
	open         // (
	closing      // )
	not
	and
	or
	comparison // its text is =, !=, <, >, <= or >=
)

type token struct {
	kind       kind
	text       string
	from, upto int // of the whole text, in bytes
}

// symbols are written without spaces too; longer ones come first.
var symbols = []token{
	{kind: and, text: "&&"},
	{kind: or, text: "||"},
	{kind: comparison, text: "=="},
	{kind: comparison, text: "!="},
	{kind: comparison, text: "<="},
	{kind: comparison, text: ">="},
	{kind: open, text: "("},
	{kind: closing, text: ")"},
	{kind: not, text: "!"},
	{kind: and, text: "&"},
	{kind: or, text: "|"},
	{kind: comparison, text: "="},
	{kind: comparison, text: "<"},
	{kind: comparison, text: ">"},
}

// operators are ss's words for symbols.
var operators = []struct {
	word   string
	kind   kind
	symbol string // of a comparison
}{
	{word: "not", kind: not},
	{word: "and", kind: and},
	{word: "or", kind: or},
	{"eq", comparison, "="},
	{"ne", comparison, "!="},
	{"neq", comparison, "!="},
	{"lt", comparison, "<"},
	{"gt", comparison, ">"},
	{"le", comparison, "<="},
	{"leq", comparison, "<="},
	{"ge", comparison, ">="},
	{"geq", comparison, ">="},
}

// tokens cuts a text. A backslash takes the next character as it is; so do
// quotes, single or double, all within. unclosed is where a quote begins that
// does not end, or -1.
func tokens(text string) (out []token, unclosed int) {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case unicode.IsSpace(r):
			at += size
		case r == '"' || r == '\'':
			length := strings.IndexRune(text[at+1:], r)
			if length < 0 {
				return out, at
			}
			out = append(out, token{quoted, text[at+1 : at+1+length], at, at + length + 2})
			at += length + 2
		default:
			t := next(text, at)
			out = append(out, t)
			at = t.upto
		}
	}
	return out, -1
}

// next is the symbol or the word that begins at a place.
func next(text string, at int) token {
	for _, s := range symbols {
		if strings.HasPrefix(text[at:], s.text) {
			t := token{s.kind, s.text, at, at + len(s.text)}
			if s.text == "==" {
				t.text = "="
			}
			return t
		}
	}
	var b strings.Builder
	i, escaped := at, false
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == '\\' && i+1 < len(text) {
			escaped = true
			_, size := utf8.DecodeRuneInString(text[i+1:])
			b.WriteString(text[i+1 : i+1+size])
			i += 1 + size
			continue
		}
		if unicode.IsSpace(r) || strings.ContainsRune("()!&|=<>\"'", r) {
			break
		}
		b.WriteString(text[i : i+size])
		i += size
	}
	t := token{word, b.String(), at, i}
	if escaped {
		return t
	}
	for _, op := range operators {
		if op.word == t.text {
			t.kind, t.text = op.kind, cmp.Or(op.symbol, t.text)
			break
		}
	}
	return t
}
