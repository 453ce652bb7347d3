package rules

import (
	"fmt"
	"slices"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/theory"
)

// Policed: a token bucket drops what exceeds a rate, and lets nothing wait.
func Policed(v *view.View) *finding.Finding {
	limit, found := v.Policer()
	if !found {
		return nil
	}
	if _, busy := v.Others(); busy && !v.OthersBehind() {
		return nil
	}
	if !v.ShortBucket(limit) && !v.LostInOneRun() && lossFirst(v, limit) {
		return nil
	}
	if r := v.Losses.Resent; r >= 0 && r < seen.LeastLost {
		return nil // the stream never met the policer, which drops half a window when it does
	}
	over, lasting := v.Overloads(), v.Lasting(limit)
	worst := over[len(over)-1]
	return &finding.Finding{
		Cause:      finding.Policed,
		Confidence: policerConfidence(v),
		// Even a stream that keeps close to the limit is held by it.
		Severity: max(v.ShortfallWhileRuns(), 0.3),
		Summary: fmt.Sprintf("Something on the path drops all that exceeds %s and lets nothing queue: a policer. One stream gets %s of it.",
			words.Rate(lasting), words.Rate(v.Rate)),
		Evidence: slices.Concat([]finding.Evidence{
			{What: "one stream carries", Value: v.Rate, Unit: finding.BitRate},
			{What: "delivered when more is sent", Value: limit, Unit: finding.BitRate},
			{What: "sent at the highest rung", Value: worst.Sent, Unit: finding.BitRate},
			{What: "lost at the highest rung", Value: worst.Loss(), Unit: finding.Ratio},
			{What: "expected of a policer there (1 − rate/sent)", Value: max(1-limit/worst.Sent, 0), Unit: finding.Ratio},
			{What: "UDP loss below the ceiling", Value: v.Base.Mean(), Unit: finding.Ratio},
			{What: "delay added above the ceiling", Value: worst.Rise, Unit: finding.Seconds},
		}, words.RetransmitEvidence(v)),
		Remedies: []finding.Remedy{
			networkLimit(),
			finding.Remedy{
				What:  "Send just below the limit instead of into it: a shaper on the sending host loses nothing (DEV is its egress device).",
				Where: finding.Sender,
				Host:  v.Sender(),
			}.By(finding.PaceBelow(lasting)),
		},
	}
}

// lossFirst says that losses below a policer's rate hold the stream back before that does.
func lossFirst(v *view.View, limit float64) bool {
	p, _ := v.RealLoss()
	lossy := theory.CubicRate(v.Idle.Mid, p, v.MSS)
	return v.Base.Low() > 0 && lossy < view.ByLossAlone*limit && v.Rate >= view.ByLossAlone*lossy
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
func policerConfidence(v *view.View) float64 {
	over := v.Overloads()
	c := 0.75 + 0.1*float64(min(len(over), 2))
	switch few := v.MayHaveFewPackets(over); {
	case few && v.Bunches():
		c = bunchesSure
	case few || v.HidesPackets(over):
		c = hidesPacketsSure
	}
	if v.Out.Share() >= emptiedByOutages {
		c = min(c, slowsMost) // outages may keep the stream far below the limit
	}
	if most := theory.CubicRate(v.Idle.Mid, v.Base.High(), v.MSS); v.Slow() && most < v.Rate {
		c = min(c, perhapsLoss)
	}
	return c
}

// perhapsLoss: so few packets were sent below the policer's rate that random loss could
// hold the stream where it is as well: 5 of 6 such verdicts were right.
const perhapsLoss = 0.85

// bunchesSure: of 7 kept directions behind a delay that bunches packets 4 have a policer,
// the others a queue of a few packets.
const bunchesSure = 0.5

// hidesPacketsSure: policers are the more common, and a queue of five packets
// behind jitter of ±3 ms was taken for one.
const hidesPacketsSure = 0.7
