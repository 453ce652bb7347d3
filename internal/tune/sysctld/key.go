package sysctld

import (
	"path"
	"slices"
	"strings"
)

func isGlob(s string) bool { return strings.ContainsAny(s, "*?[") }

// matching are the keys that a pattern of glob(7) fits, sorted.
func matching(pattern string, keys []string) []string {
	var out []string
	for _, key := range keys {
		if globMatches(pattern, key) {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return out
}

func globMatches(pattern, key string) bool {
	// glob(7) negates a class by !, Go by ^.
	ok, err := path.Match(strings.ReplaceAll(pattern, "[!", "[^"), key)
	return ok && err == nil
}

// spaces of C's isspace and, without the last two, of systemd's WHITESPACE.
const (
	cSpaces       = " \t\n\r\v\f"
	systemdSpaces = " \t\n\r"
)
