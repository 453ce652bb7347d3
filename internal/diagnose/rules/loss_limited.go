package rules

import (
	"fmt"
	"slices"

	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/theory"
)

// LossLimited: packets vanish at rates that the path can carry, and the
// sender's congestion control takes that for congestion.
func LossLimited(v *view.View) *finding.Finding {
	held, found := v.LossHolds()
	if !found || v.KeptFull() {
		return nil
	}
	return ofLoss(v, held.Share, lossConfidence(v, held))
}

// ofLoss is the finding that a share of the packets is lost at random.
func ofLoss(v *view.View, p, confidence float64) *finding.Finding {
	return &finding.Finding{
		Cause:      finding.LossLimited,
		Confidence: confidence,
		Severity:   v.Shortfall() * v.Limits.Network,
		Summary: fmt.Sprintf("The path loses %s of the packets whatever the rate, and %s: one stream gets %s of %s.",
			words.Percent(p), lossWords(v), words.Rate(v.Rate), words.Rate(v.Capacity)),
		Evidence: lossEvidence(v, p),
		Remedies: lossRemedies(v, p),
	}
}

func lossConfidence(v *view.View, held view.HeldByLoss) float64 {
	c := lossFits(v, held)
	if s, ok := flow.Sending(v.One); ok && !flow.TellsSpurious(&flow.Final(s).Info) {
		c = min(c, 0.5) // what was only overtaken looks the same
	}
	if v.Unanswered() {
		c = min(c, unansweredMost) // others' queue, which drops as well, would not show
	}
	if v.Moves() && v.Releases() {
		return min(c, besideJitter)
	}
	if v.Moves() && !v.OthersBehind() {
		return min(c, 0.6) // others' queue may be what drops
	}
	if v.PerhapsOthers() || held.Share > view.HeavyLoss || held.Events < 2 && v.Base.K == 0 && len(v.Out.All) == 0 {
		c = min(c, perhapsOthers) // a single loss may be any queue's, a CoDel's that is nearly empty too
	}
	if v.LossComesAndGoes() {
		c = min(c, unevenLoss)
	}
	if v.Rate > nearlyEnough*v.Capacity {
		c = min(c, nearlyEnoughSure)
	}
	return c
}

// besideJitter: where a delay that varies moves the RTT, others' queue, which drops as well,
// does not show in it. Of 3 kept directions like that 1 lost at random, 2 beside others.
const besideJitter = 0.4

// nearlyEnough is of the path's rate. Loss comes by chance, and may leave a stream that has
// so much already enough in another run: of kept directions with two fifths and more of
// the path 4 of 7 were slow for loss, with less 19 of 20.
const (
	nearlyEnough     = 0.5
	nearlyEnoughSure = 0.8
)

// unevenLoss is the confidence where the loss is not the same from rung to rung:
// bursts do that, and so does other traffic that comes and goes.
const unevenLoss = 0.85

// lossFits is the confidence by how many losses there were and how well they
// explain the rate.
func lossFits(v *view.View, held view.HeldByLoss) float64 {
	c := 0.75
	if held.Events >= 10 {
		c += 0.1
	}
	if v.Base.K >= 5 {
		c += 0.05 // seen by UDP as well, which has no congestion control
	}
	if !congestion.LossBasedOrUnknown(v.CC) {
		return c - 0.2
	}
	// The model is a long-run mean; a run of seconds lies within a factor of
	// three of it.
	switch fit := v.Rate / min(held.Model, v.Capacity); {
	case fit > 1.0/3 && fit < 3:
		c += 0.1
	case fit > 10 || fit < 0.1:
		c -= 0.2
	}
	return c
}

func lossEvidence(v *view.View, p float64) []finding.Evidence {
	e := slices.Concat(words.RateEvidence(v), []finding.Evidence{
		{What: "random loss", Value: p, Unit: finding.Ratio},
	})
	if v.Base.N > 0 {
		e = append(e, finding.Evidence{What: "UDP loss below the ceiling", Value: v.Base.Mean(), Unit: finding.Ratio})
	}
	if congestion.LossBasedOrUnknown(v.CC) {
		e = append(e, finding.Evidence{What: "expected of CUBIC at this RTT and loss", Value: v.Expected(), Unit: finding.BitRate, Source: theory.CubicSource})
	}
	e = append(e, words.LimitEvidence(v)...)
	return append(e, words.RetransmitEvidence(v)...)
}

func lossRemedies(v *view.View, p float64) []finding.Remedy {
	if congestion.BBR(v.CC) || p > view.BBRCliff {
		return []finding.Remedy{finding.FindLoss()}
	}
	bbr := finding.Remedy{
		What:  "Use BBR on the host that sends: it goes by the delivery rate and the RTT, not by single losses. It acts on new connections.",
		Where: finding.Sender,
		Host:  v.Sender(),
	}.By(finding.UseCC("bbr"))
	return []finding.Remedy{bbr, finding.FindLoss()}
}

// lossWords say what the sender makes of a loss.
func lossWords(v *view.View) string {
	if !congestion.LossBasedOrUnknown(v.CC) {
		return words.CCName(v) + " does not make up for so much"
	}
	return words.CCName(v) + " takes each loss for congestion"
}
