package vantage

import (
	"strings"

	"unchoke/internal/unit"
)

func rate(bps float64) string   { return unit.HumanRate(bps) }
func size(bytes float64) string { return unit.HumanSize(bytes) }
func percent(r float64) string  { return unit.Ratio(unit.Significant(r, 2)).Human() }
func duration(s float64) string { return unit.HumanTime(s) }

// List is names as a sentence has them.
func List(names []string) string {
	switch n := len(names); n {
	case 0:
		return "nobody"
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

// Words say where a segment is.
func (s Segment) Words() string {
	switch s.Kind {
	case KindPlace:
		if s.From == "" {
			return "in each place itself"
		}
		return "in " + s.From + " itself"
	case KindBetween:
		return "between " + s.From + " and " + s.To
	case KindWay:
		return "on " + s.From + "'s own way, before it meets the others'"
	case KindBeyond:
		return "beyond all places: the part of the way that they share, or the target's side"
	case KindTarget:
		return "in the target itself"
	}
	return "not to be told from these places"
}

// capital begins a sentence.
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
