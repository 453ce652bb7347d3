//go:build !slim

package app

import (
	"unchoke/internal/app/request"
	"unchoke/internal/compare"
	"unchoke/internal/record"
)

// ShownArms are arms as they may be seen and kept: their URLs without what is
// secret. The real URLs are only in the request.
func ShownArms(arms []record.Arm) []record.Arm {
	out := make([]record.Arm, len(arms))
	for i, a := range arms {
		out[i] = shownArm(a)
	}
	return out
}

func shownArm(a record.Arm) record.Arm {
	if shown := ShownTarget(a.Target); shown != a.Target {
		a.Target = shown
		a.Name = compare.FormatArm(a)
	}
	return a
}

// shownConfig is the configuration of the request as it may be seen and kept.
func (q CompareRequest) shownConfig() record.ComparisonConfig {
	c := q.Config
	if c.Neighbor != nil {
		neighbor := shownArm(*c.Neighbor)
		c.Neighbor = &neighbor
	}
	return c
}

// hiddenWarning is for whoever repeats a comparison from its record.
const hiddenWarning = "user, password and query values of a URL are not recorded: whoever repeats this comparison must add them"

// hides says that a URL of the comparison has what is not recorded.
func (q CompareRequest) hides() bool {
	for _, target := range q.targets() {
		if !request.IsURL(target) {
			continue
		}
		u, err := request.ParseURL(target)
		if err == nil && (u.User != nil || record.HidesValues(record.ShownURL(u))) {
			return true
		}
	}
	return false
}
