//go:build !slim

package view

import (
	"slices"

	"unchoke/internal/diagnose/seen"
)

// refills says that just after UDP of ours had filled most of the path, echo probes came back
// sooner than any did before we sent anything, and later ones took longer again, while
// nothing was sent: others, whom the flood had pushed aside, fill the queue again. Delay
// that varies by itself does not follow our floods; what we leave in a queue only drains.
func (v *View) refills() bool {
	for _, r := range v.Rungs {
		if r.Sent < ShallowShare*v.Capacity {
			continue
		}
		after := seen.RestAfter(v.Run, r.Start+r.Duration)
		for i := emptied; i < len(after); i++ {
			sooner, later := slices.Max(after[i-emptied:i]), slices.Max(after[i:])
			if later > sooner+v.fallsByChance() && v.emptiesTo(sooner) {
				return true
			}
		}
	}
	return false
}

// emptied is how many probes in a row must have found the queue empty after a flood of
// ours. Of some 2,800 kept directions 104 show it: on 86 others send that way, on the rest
// the other way.
const emptied = 3
