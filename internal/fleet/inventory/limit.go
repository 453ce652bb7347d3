package inventory

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Limit keeps the hosts of a pattern: names and groups with commas between them,
// * and ? among their characters, and ! before what is left out.
func Limit(hosts []Host, pattern string) ([]Host, error) {
	if pattern == "" {
		return hosts, nil
	}
	var in, out []string
	for term := range strings.SplitSeq(pattern, ",") {
		term = strings.TrimSpace(term)
		name, not := strings.CutPrefix(term, "!")
		if _, err := path.Match(name, ""); err != nil || name == "" {
			return nil, fmt.Errorf("limit %q: %.80q is no name, group or pattern", pattern, term)
		}
		if !slices.ContainsFunc(hosts, func(h Host) bool { return matches(h, name) }) {
			return nil, fmt.Errorf("limit %q: no host and no group is named %.80q", pattern, name)
		}
		if not {
			out = append(out, name)
		} else {
			in = append(in, name)
		}
	}
	var kept []Host
	for _, h := range hosts {
		of := func(name string) bool { return matches(h, name) }
		if (len(in) == 0 || slices.ContainsFunc(in, of)) && !slices.ContainsFunc(out, of) {
			kept = append(kept, h)
		}
	}
	return kept, nil
}

func matches(h Host, name string) bool {
	if name == all {
		return true
	}
	for _, n := range append([]string{h.Name}, h.Groups...) {
		if ok, _ := path.Match(name, n); ok {
			return true
		}
	}
	return false
}
