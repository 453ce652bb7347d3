package view

import (
	"math"

	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/flow"
	"unchoke/tcpinfo"
)

// SlowStartExit is how many bytes the sender had under way when it set its
// slow start threshold, where it did so before it had resent anything; known is
// false where it did not, or the sender does not tell.
func (v *View) SlowStartExit() (bytes float64, known bool) {
	s, ok := flow.Sending(v.One)
	if !ok {
		return 0, false
	}
	for _, x := range s.Samples {
		if !x.Info.Has(tcpinfo.FieldSndSsthresh) || x.Info.SndSsthresh >= tcpinfo.InfiniteSsthresh {
			continue
		}
		return float64(x.Info.SndSsthresh) * float64(v.MSS), x.Info.TotalRetrans == 0
	}
	return 0, false
}

// FarExit is the same of a loss-based far sender that tells its window once a second, as
// a stock server does: the first window is at most that of the end of slow start where it
// had resent nothing by then, and slow start would have filled the path meanwhile.
func (v *View) FarExit() (bytes float64, known bool) {
	if len(v.One.Far) == 0 || !congestion.LossBased(v.CC) || v.Idle.Mid <= 0 || v.MSS <= 0 {
		return 0, false
	}
	first := v.One.Far[0]
	doublings := math.Log2(max(v.BDP()/float64(initialWindow*v.MSS), 1))
	if first.Cwnd == 0 || first.Retransmits > 0 || first.End < startUps*doublings*v.Idle.Mid {
		return 0, false
	}
	return float64(first.Cwnd), true
}

// startUps: a slow start that takes so much longer than doubling every round trip has
// ended.
const startUps = 1.5

// HardlyBegun says that the one stream lasted for so few round trips that its start is
// most of it, as on paths through space.
func (v *View) HardlyBegun() bool { return v.One.Duration < startRTTs*v.Idle.Mid }

// GrowsOn says that the one stream's last quarter was a tenth faster than its second, which
// began when slow start was long over: such growth is too slow for two quarters in a row.
func (v *View) GrowsOn() bool {
	return v.One.Duration > 4*startRTTs*v.Idle.Mid && v.One.Goodput(0.75, 1) > 1.1*v.One.Goodput(0.25, 0.5)
}

// SpeedsUp says that the one stream was still speeding up when it ended, or did for so long
// that its growth shows though its rate sways.
func (v *View) SpeedsUp() bool { return v.Growing || v.GrowsOn() }

// LostOnce is seen.LostOnce of the one stream.
func (v *View) LostOnce() (ended, lost float64, found bool) { return seen.LostOnce(v.One, v.Idle.Mid) }
