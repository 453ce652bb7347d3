package hosts

import (
	"unchoke/internal/diagnose/view"
	"unchoke/internal/record"
)

// passedOn says that a shaper of the sending host let out what the path then lost: UDP
// above the ceiling, of which it neither kept nor dropped half of what was lost. What
// limits the path is behind it. A shaper that cuts large packets up, as cake does, counts
// each but the first of a burst as held back, at any rate.
func passedOn(v *view.View, q record.QdiscUse) bool {
	passed := false
	for _, r := range v.Overloads() {
		at, ok := During(v, r.Name, q)
		if !ok || r.Lost < leastPassed || r.Delivered < v.Rate { // UDP alone is held to less
			continue
		}
		packet := int64(r.Payload)
		if 2*(at.Backlog+at.Drops*packet) >= r.Lost*packet {
			return false
		}
		passed = true
	}
	return passed
}

// leastPassed packets that were lost behind a shaper are more than chance.
const leastPassed = 3

// During is what a queue of the sending host did during another transfer of the
// direction, by the transfer's name; false where that is not known.
func During(v *view.View, name string, q record.QdiscUse) (record.QdiscUse, bool) {
	for i := range v.Run.Transfers {
		t := &v.Run.Transfers[i]
		if t.Name != name || t.Direction != v.Dir {
			continue
		}
		for _, at := range v.Run.SenderQueues(t) {
			if at.Device == q.Device && at.Kind == q.Kind && at.Handle == q.Handle && at.Root == q.Root {
				return at, true
			}
		}
	}
	return record.QdiscUse{}, false
}
