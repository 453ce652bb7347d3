package diagnose

import (
	"slices"

	"unchoke/internal/record"
)

// whole are the rungs that no outage cut short, on a path that carries nothing at
// times: those beside which echo probes fell silent, and those of which the far end
// knew only the beginning (it counts by the highest sequence number that reached
// it). What they lost is the outage's, and says nothing of a rate.
func (v *view) whole(rungs []rung) []rung {
	if len(v.out.all) == 0 {
		return rungs
	}
	return slices.DeleteFunc(slices.Clone(rungs), func(r rung) bool {
		return r.known < knownShare || fellSilent(v.run.Echo(r.name))
	})
}

// fellSilent says that a series of echo probes has a time without any answer.
func fellSilent(e *record.Echo) bool {
	if e == nil {
		return false
	}
	row := 0
	for _, p := range e.Probes {
		if row++; p.RTT > 0 {
			row = 0
		}
		if row >= leastSilent {
			return true
		}
	}
	return false
}
