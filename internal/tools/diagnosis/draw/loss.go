package draw

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// randomLoss: radio that retransmits too little, a bad splice, an overloaded
// exchange. Measured paths lie between 1e-4 and a few per cent.
func randomLoss(r *rand.Rand, l *link) ([]impairment, bool) {
	loss, in := between(r, 0.0005, 0.03), ways(r)
	if chance(r, 0.7) {
		loss = l.lossFor(in[0], between(r, 0.06, 1.3))
	}
	if loss < 0.0001 || loss > 0.06 {
		return nil, false
	}
	return []impairment{{name: "random-loss", slows: Both, apply: func(b *builder) {
		b.setIn(in, "loss", shareText(loss))
	}}}, true
}

// lossFor is the share of loss events that leaves CUBIC a share of the link's
// rate: W = 1.054·RTT^¾/p^¾ segments, and at least Reno's √(1.5/p) (RFC 9438
// §5.1).
func (l link) lossFor(d Direction, share float64) float64 {
	w := share * l.bdp(d) / 1448
	return max(math.Pow(1.054*math.Pow(l.rtt, 0.75)/w, 4.0/3), 1.5/(w*w))
}

// burstLoss is Gilbert–Elliott loss: bursts of 2 to 60 packets, in which all
// or most are lost.
func burstLoss(r *rand.Rand, l *link) ([]impairment, bool) {
	length := between(r, 2, 60)
	bad, in := pick(r, 1, 1, 0.8, 0.5), ways(r)
	p := between(r, 0.001, 0.03) / bad / length // P/(P+R) = mean/bad, nearly
	if chance(r, 0.7) {
		p = l.lossFor(in[0], between(r, 0.06, 1.3)) // the sender answers to events
	}
	if p < 0.00002 || p > 0.02 || p*length*bad > 0.15 {
		return nil, false // no loss, or bursts so dense that they are random loss
	}
	text := fmt.Sprintf("ge:%s:%s:%s", shareText(p), shareText(1/length), shareText(bad))
	return []impairment{{name: "burst-loss", slows: Both, apply: func(b *builder) {
		b.setIn(in, "loss", text)
	}}}, true
}

// outage: the radio is gone for a while, again and again: cell changes, a
// satellite behind a tree, a microwave oven.
func outage(r *rand.Rand, _ *link) ([]impairment, bool) {
	every := between(r, 4, 16)
	length := min(between(r, 0.3, 3), every/3)
	text := fmt.Sprintf("every %s for %s loss=100%%", timeText(every), timeText(length))
	return []impairment{{name: "outage", slows: Both, scheduled: true, apply: func(b *builder) {
		b.set("schedule", text)
	}}}, true
}
