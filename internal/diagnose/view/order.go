package view

import (
	"slices"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/flow"
	"unchoke/internal/record"
)

// Overtaken says that packets overtook each other, as far as anybody saw: UDP
// packets that arrived out of order, or a sender that noticed it. Where neither
// was there to see it, segments that arrived twice must do. What a sender notices
// on a path that keeps the order of all else, or whose delay is constant, happened in
// a host, which takes a bunch of packets in at once (GRO behind a tunnel).
func (v *View) Overtaken() bool {
	inOrder := v.KeepsOrder() || v.Idle.N >= tellingProbes && !v.swings()
	if float64(v.Strays.N) >= fairSample && v.Strays.K == 0 && inOrder {
		return false
	}
	if v.Strays.N > 0 {
		return v.Strays.K > 0 || v.Losses.ReordSeen > 0
	}
	return v.Losses.ReordSeen > 0 || v.Losses.Spurious >= 3
}

// Reordered says that the stream suffered from packets out of order: its
// sender resent much needlessly, or noticed it, or UDP packets arrived so. A delay
// that varies makes a sender resend needlessly as well, by its timers, without any
// packet overtaking another.
func (v *View) Reordered() bool {
	l := v.Losses
	if !v.Overtaken() || l.Spurious == 0 && l.ReordSeen == 0 {
		return false // whatever overtook, the sender did not take it for lost
	}
	if l.Resent > 0 && l.Spurious >= 3 && l.SpuriousShare() >= spuriousShare {
		return true
	}
	if l.ReordSeen >= 5 {
		// Where most had really been lost, what a sender notices may be its own
		// retransmits, which arrive behind what it sent later.
		return l.Real < 20 || l.ReordSeen >= l.Resent || float64(v.Base.N) >= fairSample && v.Base.K == 0 && v.Strays.Mean() > strayShare
	}
	if l.Real >= 20 && l.SpuriousShare() < spuriousShare/4 {
		return false // what it resent had really been lost
	}
	return v.Strays.K >= 3 && v.Strays.Mean() > strayShare
}

// Widening says that the sender's window grew after slow start and never fell:
// nothing that it took for congestion holds it back any more.
func (v *View) Widening() bool {
	var windows []float64
	for _, i := range v.One.Far {
		if v.Dir == record.Down && i.Start >= seen.SteadyFrom*v.One.Duration {
			windows = append(windows, float64(i.Cwnd))
		}
	}
	if s, ok := flow.Sending(v.One); ok {
		for _, x := range s.Samples {
			if x.At >= seen.SteadyFrom*v.One.Duration {
				windows = append(windows, float64(x.Info.SndCwnd))
			}
		}
	}
	return len(windows) >= 3 && slices.IsSorted(windows) && windows[len(windows)-1] > grownBy*windows[0]
}
