package diagnose

import (
	"fmt"

	"unchoke/internal/theory"
)

// lossLimited: packets vanish at rates that the path can carry, and the
// sender's congestion control takes that for congestion.
func lossLimited(v *view) *Finding {
	if !v.slow() || !v.lossy() || v.limits.network < 0.3 {
		return nil
	}
	p, events := v.randomLoss()
	if p <= 0 {
		return nil
	}
	model := theory.CubicRate(v.idle.mid, p, v.mss)
	if _, policed := v.policer(); policed && model > 0.7*v.capacity {
		return nil // what little is lost below the policer's rate explains nothing
	}
	if lossBased[v.cc] && v.rate > beyondModel*model {
		return nil // the stream has not met this loss: what UDP met was no random loss
	}
	if v.reordered() && v.rate < 0.5*min(model, v.capacity) {
		return nil // the stream is far slower than this loss makes it
	}
	return &Finding{
		Cause:      LossLimited,
		Confidence: v.lossConfidence(p, events, model),
		severity:   v.shortfall() * v.limits.network,
		Summary: fmt.Sprintf("The path loses %s of the packets whatever the rate, and %s takes each loss for congestion: one stream gets %s of %s.",
			percent(p), v.ccName(), rate(v.rate), rate(v.capacity)),
		Evidence: v.lossEvidence(p),
		Remedies: v.lossRemedies(p),
	}
}

// beyondModel: no run of seconds gets this many times what the model leaves.
const beyondModel = 20

func (v *view) lossConfidence(p float64, events int64, model float64) float64 {
	c := 0.75
	if events >= 10 {
		c += 0.1
	}
	if v.base.k >= 5 {
		c += 0.05 // seen by UDP as well, which has no congestion control
	}
	if !lossBased[v.cc] && v.cc != "" {
		return c - 0.2
	}
	// The model is a long-run mean; a run of seconds lies within a factor of
	// three of it.
	switch fit := v.rate / min(model, v.capacity); {
	case fit > 1.0/3 && fit < 3:
		c += 0.1
	case fit > 10 || fit < 0.1:
		c -= 0.2
	}
	return c
}

func (v *view) lossEvidence(p float64) []Evidence {
	e := []Evidence{
		{What: "one stream carries", Value: v.rate, Unit: bitRate},
		{What: "the path carries", Value: v.capacity, Unit: bitRate},
		{What: "random loss", Value: p, Unit: ratio},
	}
	if v.base.n > 0 {
		e = append(e, Evidence{What: "UDP loss below the ceiling", Value: v.base.mean(), Unit: ratio})
	}
	if v.cc == "" || lossBased[v.cc] {
		e = append(e, Evidence{What: "expected of CUBIC at this RTT and loss", Value: v.expected(), Unit: bitRate, Source: theory.CubicSource})
	}
	e = append(e, v.limitEvidence()...)
	return append(e, v.retransmitEvidence()...)
}

// retransmitEvidence is what the sender resent, what of it in vain, and the
// RTT while it did.
func (v *view) retransmitEvidence() []Evidence {
	e := []Evidence{
		{What: "retransmits", Value: float64(v.losses.resent), Unit: count},
		{What: "of them spurious (DSACK)", Value: v.losses.spuriousShare(), Unit: ratio},
		{What: "RTT idle", Value: v.idle.mid, Unit: seconds},
		{What: "RTT under load", Value: v.loaded.mid, Unit: seconds},
	}
	if at, ok := v.rttAtLoss(); ok {
		e = append(e, Evidence{What: "RTT while losing", Value: at, Unit: seconds})
	}
	return e
}

// rttAtLoss is the sender's mean RTT in the samples in which it retransmitted,
// weighed by how much.
func (v *view) rttAtLoss() (float64, bool) {
	var sum, weight float64
	for _, s := range v.one.Series {
		if !s.Sender {
			continue
		}
		var before uint32
		for _, x := range s.Samples {
			if w := float64(x.Info.TotalRetrans - before); x.Info.TotalRetrans > before && x.Info.RTT > 0 {
				sum += w * x.Info.RTT.Seconds()
				weight += w
			}
			before = x.Info.TotalRetrans
		}
	}
	return sum / max(weight, 1), weight > 0
}

// bbrCliff: BBRv1 carries rate×(1−p) up to 5 % loss, is close to that at 15 %,
// and collapses at 20 %: its gain of 1.25 no longer makes up for the loss
// (measured; see the field's accounts of BBRv1's 20 % threshold).
const bbrCliff = 0.2

func (v *view) lossRemedies(p float64) []Remedy {
	fix := Remedy{
		What:  "Find the loss where it happens: radio link, cable, or a tunnel's overflowing socket. Forward error correction in the tunnel hides what cannot be mended.",
		Where: Network,
	}
	if v.cc == "bbr" || v.cc == "bbr2" || v.cc == "bbr3" {
		return []Remedy{fix}
	}
	bbr := Remedy{
		What:    "Use BBR on the host that sends: it goes by the delivery rate and the RTT, not by single losses. It acts on new connections.",
		Where:   Sender,
		Host:    v.sender(),
		Command: "sysctl -w net.ipv4.tcp_congestion_control=bbr",
	}
	if p > bbrCliff {
		return []Remedy{fix}
	}
	return []Remedy{bbr, fix}
}

func (v *view) ccName() string {
	if v.cc == "" {
		return "the sender's congestion control"
	}
	return v.cc
}
