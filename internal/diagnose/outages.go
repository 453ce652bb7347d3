package diagnose

import (
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/record"
)

// Outage is a time in which nothing came through, in seconds since the run began.
type Outage = seen.Outage

// Outages are those of a record, and the share of its time that a stream loses to
// them by their length alone: half as much again as they last, since its timers
// double from try to try.
func Outages(r *record.Run) (o seen.Outages, cost float64) {
	o = seen.OutagesOf(r, seen.Spread(r.Echo("idle")).Mid)
	return o, view.OutageCosts * o.Share()
}
