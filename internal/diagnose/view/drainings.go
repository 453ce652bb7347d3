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
		if under := seen.Beside(v.Run, &t, 0, 1); long && under.N >= 10 && v.fallsTo(under.Low, noiseBelow) {
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

// stands says that the longer RTT without our load was not that of the first probes alone.
func (v *View) stands() bool {
	_, stands := v.drainings()
	return stands
}

// DrainsOnce says that the RTT fell beside our load once at the most. Others' queue mostly
// drains again and again; once, the path's own RTT may have become shorter.
func (v *View) DrainsOnce() bool {
	if !v.falls() || v.Releases() || v.refills() {
		return false
	}
	times, _ := v.drainings()
	return times < 2
}

// shortened says that the RTT became shorter after the first probes, and stayed so also while
// nothing was sent.
func (v *View) shortened() bool {
	return v.floor > 0 && v.Idle.N >= 20 && v.falls() && !v.Releases() && !v.stands()
}

// lastAtRest are the last probes between two tests: what we left in a queue has drained by then.
const lastAtRest = 5
