package vantage

import (
	"cmp"
	"fmt"
	"slices"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// merged puts together what is one: a cause in both directions, and a difference
// in rate that a cause of the same places explains. Faults come first, the surest
// of them leading.
func merged(all []Insight) []Insight {
	var out []Insight
	for _, x := range lesser(explained(all)) {
		d := x.Directions[0]
		if x.Summary == "" {
			x.Summary = summary(x)
		} else {
			x.Summary = prefixed(d, x.Summary)
		}
		why := x.Why
		x.Why = []string{}
		for _, sentence := range why {
			x.Why = append(x.Why, prefixed(d, sentence))
		}
		x.Confidence = min(x.Confidence, 0.99)
		i := slices.IndexFunc(out, func(y Insight) bool {
			return x.Cause == y.Cause && x.Segment == y.Segment && slices.Equal(x.Affected, y.Affected) && slices.Equal(x.Clean, y.Clean)
		})
		if i < 0 {
			out = append(out, x)
			continue
		}
		y := &out[i]
		y.Directions = append(y.Directions, d)
		y.Confidence = max(y.Confidence, x.Confidence)
		y.Why = together(y.Why, y.Directions[0], why, d, x.Cause == "")
		if x.Summary != y.Summary {
			y.Summary += " " + x.Summary
		}
	}
	slices.SortStableFunc(out, func(a, b Insight) int {
		if a.Fault() != b.Fault() {
			if a.Fault() {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.Confidence, a.Confidence)
	})
	return out
}

// together adds the reasons of a further direction. What is said of a host, and
// so of both, stands there once.
func together(before []string, first record.Direction, why []string, d record.Direction, ofHost bool) []string {
	for _, sentence := range why {
		if i := slices.Index(before, prefixed(first, sentence)); i >= 0 && ofHost {
			before[i] = sentence
			continue
		}
		before = append(before, prefixed(d, sentence))
	}
	return before
}

func prefixed(d record.Direction, sentence string) string {
	return capital(d.Word()) + ": " + sentence
}

// lesser leaves out a cause of which another, on the same segment and in the same
// direction, affects more places: one thing has many faces, and a policer shows
// at one place as a stream that never gets going.
func lesser(all []Insight) []Insight {
	return slices.DeleteFunc(slices.Clone(all), func(x Insight) bool {
		return slices.ContainsFunc(all, func(y Insight) bool {
			return x.Cause != "" && y.Cause != "" && x.Directions[0] == y.Directions[0] && x.Segment == y.Segment &&
				len(x.Affected) < len(y.Affected) && !slices.ContainsFunc(x.Affected, func(p string) bool { return !slices.Contains(y.Affected, p) })
		})
	})
}

// explained leaves out differences in rate that a cause explains which the same
// places have in the same direction; its own evidence is kept.
func explained(all []Insight) []Insight {
	var out []Insight
	for _, x := range all {
		if x.Cause == "" {
			i := slices.IndexFunc(all, func(y Insight) bool {
				return y.Cause != "" && y.Directions[0] == x.Directions[0] && slices.Equal(y.Affected, x.Affected)
			})
			if i >= 0 {
				continue
			}
		}
		out = append(out, x)
	}
	return out
}

// summary is a cause in one sentence, the same in both directions.
func summary(x Insight) string {
	title := capital(finding.Of(x.Cause).Title)
	if len(x.Clean) == 0 {
		return fmt.Sprintf("%s: %s.", title, List(x.Affected))
	}
	return fmt.Sprintf("%s: at %s; clean: %s.", title, List(x.Affected), List(x.Clean))
}
