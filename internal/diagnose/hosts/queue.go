package hosts

import (
	"unchoke/internal/diagnose/view"
	"unchoke/internal/record"
)

// OwnQueue is the shaper of the sending host that held the one stream back: one
// that made packets wait for its rate on the stream's way, and dropped some or
// had a queue. One that lets out more than the path then carries is none (not known in
// the build for routers).
func OwnQueue(v *view.View) (view.End, record.QdiscUse, bool) {
	e, ok := v.At(v.Sender())
	if !ok || e.Route == nil {
		return view.End{}, record.QdiscUse{}, false
	}
	var best record.QdiscUse
	for _, q := range e.One.Egress {
		if e.Route.LeavesBy(q.Device) && HeldBack(q) && q.Overlimits > best.Overlimits {
			best = q
		}
	}
	if !AnyShaper && passedOn(v, best) {
		return e, best, false
	}
	return e, best, best.Overlimits > 0
}

// HeldBack says that a queue made packets wait for its rate, and dropped some or had a
// queue: one whose rate is faster than what is sent meets its bursts alone.
func HeldBack(q record.QdiscUse) bool {
	return q.Overlimits > 0 && float64(q.Overlimits) >= shapedShare*float64(q.Packets) && q.Drops+q.Backlog > 0
}

// LostBeyond is how many packets the one stream lost behind the shaper of the sending host
// that held it back: which dropped at most half of what was lost.
func LostBeyond(v *view.View) int64 {
	_, q, shaped := OwnQueue(v)
	if !shaped || 2*q.Drops > v.Losses.Real {
		return 0
	}
	return v.Losses.Real - q.Drops
}
