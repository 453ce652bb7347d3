//go:build !slim

package view

import (
	"math"
	"slices"

	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/record"
	"unchoke/internal/stats"
	"unchoke/internal/theory"
)

// LeapLosses are what a loss-based sender loses in handovers: the RTT leaps, and packets are
// lost meanwhile.
type LeapLosses struct {
	N       int     // leaps of the one stream's RTT, in each of which it lost packets
	By      float64 // seconds that the RTT rose, the most of the former
	Every   float64 // seconds between two leaps, the least that was seen
	Lasting float64 // bit/s that a loss as often leaves in the long run
}

// LosesInLeaps finds them on a path whose delay is else constant without our load.
func (v *View) LosesInLeaps() (l LeapLosses, found bool) {
	idle := seen.RTTs(v.Run.Echo("idle"), 0, math.Inf(1))
	if len(idle) < tellingProbes || !congestion.LossBasedOrUnknown(v.CC) {
		return l, false
	}
	q := stats.Quantiles(idle, 0.25, 0.75)
	if q[1]-q[0] > leapQuiet*v.Idle.Mid {
		return l, false
	}
	leaps, lost := 0, v.lossTimes()
	for _, x := range seen.Leaps(v.Run.Echo(v.One.Name)) {
		if x.At+x.Duration > v.One.Duration || x.At < 0 {
			continue
		}
		leaps++
		known := x.At + x.Duration + 2*v.Loaded.Mid
		if slices.ContainsFunc(lost, func(at float64) bool { return at >= x.At && at < known }) {
			l.N, l.By = l.N+1, max(l.By, x.By)
		}
	}
	if l.N == 0 || l.N < leaps {
		return l, false // a line whose rate changes makes the RTT leap, and now and then loses nothing
	}
	l.Every = v.leapsEvery()
	l.Lasting = theory.CubicEvery(v.Idle.Mid, l.Every, v.MSS)
	return l, !math.IsInf(l.Every, 1)
}

// leapsEvery is the least time in seconds between two leaps of the RTT, without our load or
// beside one stream; +Inf where there were not two.
func (v *View) leapsEvery() float64 {
	calm := []*record.Echo{v.Run.Echo("idle")}
	for _, t := range v.Run.Transfers {
		if t.Protocol == record.TCP && t.Streams == 1 {
			calm = append(calm, v.Run.Echo(t.Name))
		}
	}
	every, last := math.Inf(1), math.Inf(-1)
	for _, e := range calm {
		for _, x := range seen.Leaps(e) {
			if at := e.Started + x.At; at-last > leapApart {
				every, last = min(every, at-last), at
			}
		}
	}
	return every
}

const (
	leapQuiet = 0.05 // of the RTT: what the middle half of the idle probes spread over
	leapApart = 1.5  // s between two leaps at the least
)
