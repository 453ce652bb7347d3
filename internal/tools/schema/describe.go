package schema

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// units are those that the end of a key names.
var units = []struct{ suffix, unit string }{
	{"_s", "seconds"},
	{"_bps", "bit/s"},
	{"_bytes", "bytes"},
	{"_ratio", "1 is the whole"},
	{"_packets", "packets"},
	{"_segments", "segments"},
}

// describe puts a member's comment and its unit first.
func describe(comment, key string, value object) object {
	comment = sentence(comment)
	for _, u := range units {
		if strings.HasSuffix("_"+key, u.suffix) {
			comment = strings.TrimSpace(comment + " Unit: " + u.unit + ".")
			break
		}
	}
	if comment == "" {
		return value
	}
	return append(object{{"description", comment}}, value...)
}

// sentence begins with a capital and ends with a full stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

// Describe is the schema of a simple member, with its unit.
func Describe(comment, key, kind string) any {
	return describe(comment, key, object{{"type", kind}})
}
