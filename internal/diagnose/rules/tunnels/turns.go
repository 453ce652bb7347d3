package tunnels

import (
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/stats"
)

// heldBack says that a tunnel over UDP suffers: outside it UDP is treated worse,
// and a TCP stream there carries clearly more than one inside.
func heldBack(v *view.View) (seen.Turns, bool) {
	t, found := worse(v)
	return t, found && freer(v, t)
}

// worse says that outside a tunnel UDP is treated worse than TCP, which nothing inside
// speaks against.
func worse(v *view.View) (seen.Turns, bool) {
	t, found := seen.WorseForUDP(v.Run, v.Dir, true)
	return t, found && !passedInside(v, t)
}

// passedInside says that UDP in the tunnel fared better than UDP outside it, so that chance
// made the difference, or a path that changes: it lost a clearly smaller share (95 %
// intervals), or went through whole, clearly faster than UDP outside ended, and no usual
// bucket held what was more.
func passedInside(v *view.View, t seen.Turns) bool {
	if !t.Capped() {
		return v.Base.High() < t.UDP.Low()
	}
	for _, r := range v.Rungs {
		more := r.Delivered - t.Ends
		if r.Lost == 0 && r.Packets >= seen.FewPackets && more > (seen.SlowerBy-1)*t.Ends && more*r.Duration > usualBucket {
			return true
		}
	}
	return false
}

// usualBucket is in bits: 256 KiB.
const usualBucket = 8 * 256 << 10

// freer says that outside the tunnel one TCP stream carried clearly more than the
// one inside.
func freer(v *view.View, t seen.Turns) bool { return t.Free*tunnelShare > seen.SlowerBy*v.Rate }

// FaresBetter says that one TCP stream outside the tunnel carried clearly more than
// the one inside, in its first seconds as well, or lost clearly less than UDP did
// inside (95 % intervals).
func FaresBetter(v *view.View, t seen.Turns) bool {
	faster := freer(v, t) && freerWhileYoung(v, t)
	losesLess := v.Base.K > 0 && t.Freed.N > 0 && !t.Untold && t.Freed.High() < v.Base.Low()
	return faster || losesLess
}

// freerWhileYoung says that the stream outside carried clearly more than the one
// inside did in as many of its first seconds, in which a policer's bucket is full.
func freerWhileYoung(v *view.View, t seen.Turns) bool {
	young := v.One.Goodput(0, stats.Clamp(t.Freely/v.One.Duration, 0, 1))
	return t.Freely > 0 && t.Free*tunnelShare > seen.SlowerBy*young
}

// spared says that TCP's turn outside lost fewer packets than chance makes of the share
// that UDP loses, in its turns and with the tunnel's packets together (95 %), and that a
// TCP stream outside carried clearly more than the one inside: each turn of UDP alone lost
// too few to prove it.
func spared(v *view.View, t seen.Turns) bool {
	if t.Asked < 2 || t.TCP.Packets == 0 || t.TCP.Lost < 0 || t.UDP.K < seen.LeastLost || t.Capped() || passedInside(v, t) || !freer(v, t) {
		return false
	}
	if _, busy := v.Others(); busy {
		return false // others' queue drops now and then
	}
	udp := t.UDP
	udp.Add(v.Base.K, v.Base.N)
	udp.Add(v.Losses.Real, v.Losses.Segments)
	return stats.BinomialHigh(t.TCP.Lost, t.TCP.Packets, 0.9) < udp.Mean() // of which a twentieth lies above
}

// sparedSure: 4 of 4 kept directions like that, and none of the 8 with random loss.
const sparedSure = 0.7
