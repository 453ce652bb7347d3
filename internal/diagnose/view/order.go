package view

// Overtaken says that packets overtook each other, as far as anybody saw: UDP
// packets that arrived out of order, or a sender that noticed it. Where neither
// was there to see it, segments that arrived twice must do. What a sender notices
// on a path that keeps the order of all else, or whose delay is constant, happened in
// a host, which takes a bunch of packets in at once (GRO behind a tunnel): many packets
// tell of such a path, or some that were held back for the order's sake.
func (v *View) Overtaken() bool {
	inOrder := v.KeepsOrder() || v.Idle.N >= tellingProbes && !v.swings()
	sampled := float64(v.Strays.N) >= fairSample || v.Releases()
	if sampled && v.Strays.K == 0 && inOrder {
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
