package diagnose

import (
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/record"
)

// Outage is a time in which nothing came through, in seconds since the run began.
type Outage struct{ At, Duration float64 }

// Outages are those of a record, the seconds for which anybody watched, and the share of
// its time that a stream loses to them by their length alone: half as much again as they
// last, since its timers double from try to try.
func Outages(r *record.Run) (all []Outage, watched, cost float64) {
	idle := seen.Spread(r.Echo("idle"))
	o := seen.OutagesOf(r, idle.Mid)
	for _, x := range o.All {
		all = append(all, Outage{x.At, x.Duration})
	}
	return all, o.Watched, view.OutageCosts * o.Share()
}
