package diagnose

import (
	"fmt"
	"math"

	"unchoke/internal/theory"
)

// policed: a token bucket drops what exceeds a rate, and lets nothing wait.
func policed(v *view) *Finding {
	limit, found := v.policer()
	if !found {
		return nil
	}
	if p, _ := v.realLoss(); theory.CubicRate(v.idle.mid, p, v.mss) < 0.5*limit && v.base.low() > 0 {
		return nil // losses below the policer's rate hold the stream back first
	}
	if v.losses.resent == 0 {
		return nil // the stream never met the policer
	}
	over := v.overloads()
	worst := over[len(over)-1]
	return &Finding{
		Cause:      Policed,
		Confidence: 0.75 + 0.1*float64(min(len(over), 2)),
		// Even a stream that keeps close to the limit is held by it.
		severity: max(v.shortfall(), 0.3),
		Summary: fmt.Sprintf("Something on the path drops all that exceeds %s and lets nothing queue: a policer. One stream gets %s of it.",
			rate(limit), rate(v.rate)),
		Evidence: append([]Evidence{
			{What: "one stream carries", Value: v.rate, Unit: bitRate},
			{What: "delivered when more is sent", Value: limit, Unit: bitRate},
			{What: "sent at the highest rung", Value: worst.sent, Unit: bitRate},
			{What: "lost at the highest rung", Value: worst.loss(), Unit: ratio},
			{What: "expected of a policer there (1 − rate/sent)", Value: max(1-limit/worst.sent, 0), Unit: ratio},
			{What: "UDP loss below the ceiling", Value: v.base.mean(), Unit: ratio},
			{What: "delay added above the ceiling", Value: worst.rise, Unit: seconds},
		}, v.retransmitEvidence()...),
		Remedies: []Remedy{
			{
				What:  "The limit is the network's: a larger contract, or another path. BBR gets closer to it than CUBIC, at the price of many retransmits.",
				Where: Network,
			},
			{
				What:    "Send just below the limit instead of into it: a shaper on the sending host loses nothing (DEV is its egress device).",
				Where:   Sender,
				Host:    v.sender(),
				Command: fmt.Sprintf("tc qdisc replace dev DEV root fq maxrate %dkbit", int64(0.97*limit/1000)),
			},
		},
	}
}

// overloads are the rungs above the ceiling, in order of rate.
func (v *view) overloads() []rung {
	var out []rung
	for _, r := range v.rungs {
		if r.overloaded(v.rungs) {
			out = append(out, r)
		}
	}
	return out
}

// policer is the rate at which packets are dropped although none waits: the
// rungs above the ceiling lose what exceeds it, while their delay stays what
// it was. A queue of even a few packets shows: while it overflows, each packet
// that gets through has waited for all of it.
func (v *view) policer() (limit float64, found bool) {
	for _, r := range v.overloads() {
		if !r.risen || r.sent < 1.05*r.delivered || r.loss() < 0.04+gentlest(v.rungs) {
			continue // nobody knows its delay, or it did not lose what it sent too much
		}
		noise := math.Hypot(v.idle.noise(), r.spread.noise())
		if r.rise > max(leastQueue(r), 4*noise) {
			return 0, false
		}
		if r.rise+2*noise > max(leastQueue(r), 0.25*v.idle.mid) {
			continue // a queue could hide in this much noise
		}
		limit, found = r.delivered, true
	}
	if limit < 0.8*v.rate {
		return 0, false // the stream itself got through faster
	}
	if found && v.queued() && v.loaded.mid-v.idle.mid > 0.25*v.idle.mid {
		return 0, false // the stream itself found a queue
	}
	return limit, found
}

// leastQueue is the smallest rise of the delay that is taken for a queue: the
// time that five full packets take at the ceiling.
func leastQueue(r rung) float64 {
	return max(5*1514*8/max(r.delivered, 1), 0.0002)
}
