package amend

import (
	"unchoke/internal/diagnose/hosts"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/wire"
)

// isOwn says that a queue of the sending host did what a finding says of the queue at the
// bottleneck: one that stands held enough, one that is too short dropped packets, and one
// that others share let out more than the stream.
func isOwn(v *view.View, cause finding.Cause, q record.QdiscUse) bool {
	switch cause {
	case finding.Bufferbloat:
		return waitsThere(v, q)
	case finding.ShallowBuffer:
		return q.Drops > 0
	}
	out := float64(q.Bytes) * 8 / wire.PerGoodput
	return v.One.Goodput(0, 1)*v.One.Duration < view.SlowShare*out
}

// waitsThere says that what stood in a queue of the sending host, under the load that
// kept it standing, takes the path half of that wait or more.
func waitsThere(v *view.View, q record.QdiscUse) bool {
	by, under, _, found := v.Standing()
	at, known := hosts.During(v, by, q)
	return found && known && float64(at.Backlog)*8 >= ownWait*(under.Mid-v.Idle.Mid)*v.Capacity
}

// ownWait is the share of a wait that has to stand in a queue for the wait to be its: a
// backlog is read every 150 ms or so, and may have been longer between.
const ownWait = 0.5
