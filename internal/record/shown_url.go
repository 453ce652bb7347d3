//go:build !slim

package record

import (
	"net/url"
	"strings"
)

// ShownURL is a URL as it may be seen and kept: without user and password, and of
// a query only the names, since values are keys and tokens.
func ShownURL(u *url.URL) string {
	s := *u
	s.User, s.Fragment, s.RawFragment = nil, "", ""
	if s.RawQuery != "" {
		var keep []string
		for part := range strings.SplitSeq(s.RawQuery, "&") {
			name, _, valued := strings.Cut(part, "=")
			if valued {
				name += hiddenValue
			}
			keep = append(keep, name)
		}
		s.RawQuery = strings.Join(keep, "&")
	}
	return s.String()
}

// hiddenValue stands for a value of a query.
const hiddenValue = "=…"

// HidesValues says that a shown URL had values in its query.
func HidesValues(shown string) bool { return strings.Contains(shown, hiddenValue) }
