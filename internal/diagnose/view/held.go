//go:build !slim

package view

import (
	"math"
	"slices"

	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/record"
)

// levelBelowTrains says that the stream carried as much in its last quarter as in the one
// before, at less than half of the rate at which its packets follow each other.
func (v *View) levelBelowTrains() bool {
	before, last := v.One.Goodput(0.5, 0.75), v.One.Goodput(0.75, 1)
	return v.TrainRate() >= 2*v.Rate && math.Abs(last-before) < aboutUsual/2*before
}

// heldAnyway says that what the one stream lost is not what holds it.
func (v *View) heldAnyway() bool { return v.heldWithoutLoss() || v.windowUnused() }

// heldWithoutLoss says that another lone stream of the check lost nothing, and came to the
// same rate: what the one stream lost is not what holds it there. On 2 of 2 kept directions
// like that the sender's buffer is.
func (v *View) heldWithoutLoss() bool {
	return slices.ContainsFunc(v.lone(), func(t *record.Transfer) bool {
		same := math.Abs(t.SteadyRate-v.Rate) < aboutUsual/2*v.Rate
		return t != v.One && t.Retransmits == 0 && t.Duration >= startRTTs*v.Idle.Mid && same
	})
}

// windowUnused says that the far sender's congestion window, as a stock server reports it
// each second, stayed far larger than what was under way: something else holds it back. A
// window that grows is used, however many of its packets were overtaken: Linux leaves one
// as it is that is not (tcp_is_cwnd_limited). BBR's is twice what it keeps under way by design,
// and outages leave any unused.
func (v *View) windowUnused() bool {
	if len(v.Out.All) > 0 || len(v.Stalls) > 0 || !congestion.LossBased(v.CC) {
		return false
	}
	seconds, first := 0, int64(0)
	for _, x := range v.One.Far {
		if x.Start < seen.SteadyFrom*v.One.Duration || x.Cwnd == 0 {
			continue
		}
		if seconds++; seconds == 1 {
			first = x.Cwnd
		}
		if x.Cwnd > first || float64(x.Cwnd) < unused*x.Rate/8*max(v.Loaded.Mid, v.Idle.Mid) {
			return false
		}
	}
	return seconds >= 2
}

// unused: a sender that its window holds has one round trip's worth of it under way.
const unused = 1.8
