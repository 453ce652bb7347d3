package filter

import (
	"slices"
	"strings"
)

// Offer is a word that may come next.
type Offer struct{ Text, Help string }

// Complete offers what may follow a text, whose last word may be begun: whole
// words, to stand in its place. from is where that word begins. The values of
// keys that have no fixed ones are those that values knows.
func Complete(text string, values func(key string) []string) (offers []Offer, from int) {
	all, unclosed := tokens(text)
	if unclosed >= 0 {
		return nil, len(text)
	}
	begun, from := "", len(text)
	if n := len(all); n > 0 && all[n-1].upto == len(text) && all[n-1].kind != open && all[n-1].kind != closing && all[n-1].kind != comparison {
		begun, from = text[all[n-1].from:], all[n-1].from
		all = all[:n-1]
	}
	for _, o := range expected(all, values) {
		if strings.HasPrefix(o.Text, begun) {
			offers = append(offers, o)
		}
	}
	return offers, from
}

// expected are the words that may follow.
func expected(all []token, values func(string) []string) []Offer {
	n := len(all)
	if n == 0 {
		return beginnings()
	}
	switch last := all[n-1]; {
	case last.kind == comparison && n > 1:
		return valuesOf(all[n-2].text, values)
	case last.kind == comparison:
		return nil
	case last.kind == word && isKey(all, n-1):
		return append(comparisons(last.text), valuesOf(last.text, values)...)
	case last.kind == word || last.kind == quoted || last.kind == closing:
		out := []Offer{{"and", ""}, {"or", ""}}
		depth := 0
		for _, t := range all {
			switch t.kind {
			case open:
				depth++
			case closing:
				depth--
			}
		}
		if depth > 0 {
			out = append(out, Offer{")", ""})
		}
		return append(out, beginnings()...)
	}
	return beginnings()
}

// isKey says whether a word stands where a key does: not behind one or behind an
// operator.
func isKey(all []token, i int) bool {
	if _, known := findKey(all[i].text); !known && all[i].text != "state" && all[i].text != "exclude" {
		return false
	}
	if i == 0 {
		return true
	}
	before := all[i-1]
	return before.kind != comparison && !(before.kind == word && isKey(all, i-1))
}

func beginnings() []Offer {
	out := []Offer{{"state", "the connection's state"}, {"exclude", "all states but one"}}
	for _, k := range keys {
		out = append(out, Offer{k.name, k.help})
	}
	return append(out, Offer{"not", ""}, Offer{"(", ""})
}

func comparisons(name string) []Offer {
	out := []Offer{{"=", ""}, {"!=", ""}}
	if k, _ := findKey(name); k.ordered {
		out = append(out, Offer{">", ""}, Offer{"<", ""}, Offer{">=", ""}, Offer{"<=", ""})
	}
	return out
}

func valuesOf(name string, values func(string) []string) []Offer {
	var out []Offer
	if name == "state" || name == "exclude" {
		for _, s := range stateNames() {
			out = append(out, Offer{s, ""})
		}
		return out
	}
	k, known := findKey(name)
	if !known {
		return nil
	}
	names := k.values
	if names == nil && values != nil {
		names = slices.Clone(values(name))
		slices.Sort(names)
	}
	for _, v := range slices.Compact(names) {
		out = append(out, Offer{Quote(v), ""})
	}
	return out
}

// Quote is a value as a filter takes it.
func Quote(value string) string {
	all, unclosed := tokens(value)
	if unclosed < 0 && len(all) == 1 && all[0].kind == word && all[0].text == value {
		return value
	}
	if !strings.Contains(value, `"`) {
		return `"` + value + `"`
	}
	if !strings.Contains(value, "'") {
		return "'" + value + "'"
	}
	var b strings.Builder
	for _, r := range value {
		if strings.ContainsRune(" \t()!&|=<>\"'\\", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
