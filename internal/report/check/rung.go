package check

import (
	"unchoke/internal/diagnose"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

// rungs are the rates at which UDP was sent in a direction, and what was lost of each.
// The ladder rises: a rung that was to be slower than the one before is a test after
// it, beside what the path carries.
func rungs(all []record.Transfer, way *diagnose.Way, d record.Direction) []string {
	var words []string
	before := 0.0
	for i := range all {
		u := all[i].UDP
		if all[i].Direction != d || u == nil || u.Packets == 0 {
			continue
		}
		label := ""
		switch {
		case way == nil || u.Offered >= before:
		case u.Sent < way.Capacity:
			label = "below the ceiling: "
		default:
			label = "above the ceiling: "
		}
		words = append(words, label+render.Rate(u.Sent)+" "+render.Ratio(float64(u.Lost)/float64(u.Packets)))
		before = u.Offered
	}
	return words
}
