package diagnose

import (
	"fmt"
	"math"
	"slices"

	"unchoke/internal/finding"
	"unchoke/internal/theory"
)

// policed: a token bucket drops what exceeds a rate, and lets nothing wait.
func policed(v *view) *finding.Finding {
	limit, found := v.policer()
	if !found {
		return nil
	}
	if _, busy := v.others(); busy {
		return nil
	}
	if p, _ := v.realLoss(); theory.CubicRate(v.idle.Mid, p, v.mss) < byLossAlone*limit && v.base.low() > 0 {
		return nil // losses below the policer's rate hold the stream back first
	}
	if v.losses.Resent == 0 {
		return nil // the stream never met the policer
	}
	over := v.overloads()
	worst := over[len(over)-1]
	return &finding.Finding{
		Cause:      finding.Policed,
		Confidence: v.policerConfidence(),
		// Even a stream that keeps close to the limit is held by it.
		Severity: max(v.shortfall(), 0.3),
		Summary: fmt.Sprintf("Something on the path drops all that exceeds %s and lets nothing queue: a policer. One stream gets %s of it.",
			rate(limit), rate(v.rate)),
		Evidence: append([]finding.Evidence{
			{What: "one stream carries", Value: v.rate, Unit: finding.BitRate},
			{What: "delivered when more is sent", Value: limit, Unit: finding.BitRate},
			{What: "sent at the highest rung", Value: worst.sent, Unit: finding.BitRate},
			{What: "lost at the highest rung", Value: worst.loss(), Unit: finding.Ratio},
			{What: "expected of a policer there (1 − rate/sent)", Value: max(1-limit/worst.sent, 0), Unit: finding.Ratio},
			{What: "UDP loss below the ceiling", Value: v.base.mean(), Unit: finding.Ratio},
			{What: "delay added above the ceiling", Value: worst.rise, Unit: finding.Seconds},
		}, v.retransmitEvidence()...),
		Remedies: []finding.Remedy{
			networkLimit(),
			finding.Remedy{
				What:  "Send just below the limit instead of into it: a shaper on the sending host loses nothing (DEV is its egress device).",
				Where: finding.Sender,
				Host:  v.sender(),
			}.By(finding.Pace(0.97 * limit)),
		},
	}
}

// networkLimit is what can be done about a policer beyond this host.
func networkLimit() finding.Remedy {
	return finding.Remedy{
		What:  "The limit is the network's: a larger contract, or another path. BBR gets closer to it than CUBIC, at the price of many retransmits.",
		Where: finding.Network,
	}
}

// policerConfidence is by how many rungs were above the ceiling, by how short a queue
// could have hidden from them, and by how much random loss from those below it.
func (v *view) policerConfidence() float64 {
	over := v.overloads()
	c := 0.75 + 0.1*float64(min(len(over), 2))
	if v.hidesPackets(over) || v.hasFewPackets(over) {
		c = min(c, hidesPacketsSure)
	}
	if most := theory.CubicRate(v.idle.Mid, v.base.high(), v.mss); v.slow() && most < v.rate {
		c = min(c, perhapsLoss)
	}
	return c
}

// perhapsLoss: so few packets were sent below the policer's rate that random loss could
// hold the stream where it is as well: 5 of 6 such verdicts were right.
const perhapsLoss = 0.85

// hidesPackets says that the delay varies by so much that a queue of several packets
// would not show in any of these rungs.
func (v *view) hidesPackets(over []rung) bool {
	return !slices.ContainsFunc(over, func(r rung) bool {
		noise := math.Hypot(v.idle.Noise(), r.spread.Noise())
		return r.risen && r.rise+2*noise <= severalPackets*leastQueue(r)
	})
}

// hasFewPackets says that packets waited above the ceiling as long as a queue of some
// takes, on a line so fast that this is less than what is taken for a queue.
func (v *view) hasFewPackets(over []rung) bool {
	return slices.ContainsFunc(over, func(r rung) bool {
		return r.risen && max(r.rise, r.own-v.steadyOwn()) > fewPacketsTime(r)
	})
}

const (
	severalPackets = 4 // of a packet and a half each
	// hidesPacketsSure: policers are the more common, and a queue of five packets
	// behind jitter of ±3 ms was taken for one.
	hidesPacketsSure = 0.7
)

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
		if !r.risen || r.sent < overSent*r.delivered || r.loss() < policerLoss+gentlest(v.rungs) {
			continue // nobody knows its delay, or it did not lose what it sent too much
		}
		noise := math.Hypot(v.idle.Noise(), r.spread.Noise())
		if r.rise > max(leastQueue(r), 4*noise) || r.own-v.steadyOwn() > max(leastQueue(r), 4*noise) {
			return 0, false
		}
		if r.rise+2*noise > max(leastQueue(r), hiddenQueue*v.idle.Mid) {
			continue // a queue could hide in this much noise
		}
		limit, found = r.delivered, true
	}
	if v.late > 0 || v.tcpRise > max(leastWait, hiddenQueue*v.idle.Mid, 4*v.idle.Noise()) {
		return 0, false // a queue that keeps flows apart hides from echo probes
	}
	if limit < slowShare*v.rate {
		return 0, false // the stream itself got through faster
	}
	if found && v.queued() && v.loaded.Mid-v.idle.Mid > hiddenQueue*v.idle.Mid {
		return 0, false // the stream itself found a queue
	}
	return limit, found
}

// leastQueue is the smallest rise of the delay, half of the packets' at the
// least, that is taken for a queue: a full packet and a half at the ceiling, in seconds. A
// policer lets half of what it passes wait for nothing.
func leastQueue(r rung) float64 {
	return max(fewPacketsTime(r), 0.0002)
}

// fewPacketsTime is how long a packet and a half takes at what the rung delivered, in
// seconds.
func fewPacketsTime(r rung) float64 { return 1.5 * 1514 * 8 / max(r.delivered, 1) }
