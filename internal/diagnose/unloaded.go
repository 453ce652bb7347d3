package diagnose

import (
	"math"

	"unchoke/internal/record"
)

// losesUnloaded says that the path loses packets which wait for nobody's stream:
// more echo probes than by chance got no answer before this check sent anything else.
func (v *view) losesUnloaded() bool { return unloaded(v.run).k > leastLost }

// unloaded counts the echo probes that were sent before the first stream began, and
// those of them that got no answer, whichever way they were lost.
func unloaded(r *record.Run) proportion {
	first := math.Inf(1)
	for _, t := range r.Transfers {
		first = min(first, t.Started)
	}
	var lost proportion
	for _, e := range r.Echoes {
		for _, p := range e.Probes {
			if e.Started+p.At < first {
				lost.add(unanswered(p), 1)
			}
		}
	}
	return lost
}

// unanswered is 1 for a probe that got no answer.
func unanswered(p record.Probe) int64 {
	if p.RTT == 0 {
		return 1
	}
	return 0
}
