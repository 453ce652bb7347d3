package twin

import (
	"fmt"

	"unchoke/internal/diagnose"
	"unchoke/internal/record"
)

// interruptions are the outages of a path, as a diagnosis finds them, where they
// cost a stream more than a copy without them may be off. A path that comes and
// goes is none that a fit knows: when it goes is chance, and a check is too short
// to tell how often.
func interruptions(r *record.Run) []string {
	outages, cost := diagnose.Outages(r)
	if cost < modelError-1 {
		return nil
	}
	var out []string
	for _, o := range outages {
		out = append(out, fmt.Sprintf("nothing came through for %.2g s at %.3g s", o.Duration, o.At))
	}
	return out
}
