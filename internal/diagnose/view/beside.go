package view

import (
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/stats"
)

// HeldBack says that a tunnel over UDP suffers: outside it UDP is treated worse,
// and a TCP stream there carries clearly more than one inside.
func (v *View) HeldBack() (seen.Turns, bool) {
	t, found := seen.WorseForUDP(v.Run, v.Dir, true)
	return t, found && v.freer(t)
}

// freer says that outside the tunnel one TCP stream carried clearly more than the
// one inside.
func (v *View) freer(t seen.Turns) bool { return t.Free*TunnelShare > seen.SlowerBy*v.Rate }

// FaresBetter says that one TCP stream outside the tunnel carried clearly more than
// the one inside, in its first seconds as well, or lost clearly less than UDP did
// inside (95 % intervals).
func (v *View) FaresBetter(t seen.Turns) bool {
	faster := v.freer(t) && v.FreerWhileYoung(t)
	losesLess := v.Base.K > 0 && t.Freed.N > 0 && t.Freed.High() < v.Base.Low()
	return faster || losesLess
}

// FreerWhileYoung says that the stream outside carried clearly more than the one
// inside did in as many of its first seconds, in which a policer's bucket is full.
func (v *View) FreerWhileYoung(t seen.Turns) bool {
	young := v.One.Goodput(0, stats.Clamp(t.Freely/v.One.Duration, 0, 1))
	return t.Freely > 0 && t.Free*TunnelShare > seen.SlowerBy*young
}

// UnaskedOutside says that the stream goes through a tunnel over UDP, and the path is
// so long that no time was left to ask outside.
func (v *View) UnaskedOutside() bool {
	return v.Run.Route.Tunnel.OverUDP() && v.Run.BesideIn(v.Dir, true) == nil && v.Idle.Mid > longTunnel
}

const longTunnel = 0.1 // seconds
