package tui

import (
	"unchoke/internal/live/table"
	"unchoke/internal/report/render"
)

// figure prints what a narrow column holds; nothing where it is not known.
func figure(kind table.Kind, v float64) string {
	switch {
	case v < 0: // timeouts that this kernel does not count
		return ""
	case kind == table.Rate:
		return render.BriefRate(v)
	case kind == table.Bytes:
		return render.BriefSize(v)
	case kind == table.Seconds:
		return render.BriefTime(v)
	case kind == table.Share:
		return render.BriefShare(v)
	case v < countedOut:
		return render.Count(v)
	}
	return render.BriefRate(v)
}

// countedOut is from where a count has no room for its digits.
const countedOut = 100_000
