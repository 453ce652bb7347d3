//go:build !slim

package view

import (
	"slices"

	"unchoke/internal/diagnose/seen"
)

// drainings counts how often echo probes without our load took long, and shorter beside what
// was sent next. The first are those before anything was sent. stands says that some between
// two tests took long as well, or that none tell: the path's RTT did not just become shorter
// once, as where a satellite hands over.
func (v *View) drainings() (times int, stands bool) {
	least := v.floor + (v.Idle.Low-v.floor)/3
	long, told := true, false
	for _, t := range slices.Concat(v.Run.Transfers, v.Run.Cubic) {
		if under := seen.Beside(v.Run, &t, 0, 1); long && under.N >= 10 && v.Idle.Low-under.Low > v.fallsBy() {
			times, long = times+1, false
		}
		after := seen.RestAfter(v.Run, t.Started+t.Duration)
		if n := len(after); n >= lastAtRest {
			told = true
			if last := slices.Sorted(slices.Values(after[n-lastAtRest:])); last[lastAtRest/2] > least {
				long, stands = true, true
			}
		}
	}
	return times, stands || !told
}

// shortened says that the RTT became shorter after the first probes, and stayed so also while
// nothing was sent.
func (v *View) shortened() bool {
	if v.floor <= 0 || v.Idle.N < 20 || !v.falls() || v.Releases() {
		return false
	}
	_, stands := v.drainings()
	return !stands
}

// lastAtRest are the last probes between two tests: what we left in a queue has drained by then.
const lastAtRest = 5
