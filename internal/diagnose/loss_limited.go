package diagnose

import (
	"fmt"
	"math"

	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/theory"
)

// lossLimited: packets vanish at rates that the path can carry, and the
// sender's congestion control takes that for congestion.
func lossLimited(v *view) *finding.Finding {
	held, found := v.lossHolds()
	if !found {
		return nil
	}
	return v.ofLoss(held.share, v.lossConfidence(held))
}

// heldByLoss is the loss that holds a stream back.
type heldByLoss struct {
	share  float64 // of the packets that are lost
	events int64   // how many losses that rests on
	model  float64 // what a loss-based sender carries at this loss, bit/s
}

// lossHolds says that packets vanish at rates that the path can carry, and that this
// is what makes the stream slow.
func (v *view) lossHolds() (h heldByLoss, found bool) {
	if !v.slow() || !v.lossy() || v.limits.Network < limitShare {
		return h, false
	}
	h.share, h.events = v.randomLoss()
	if h.share <= 0 {
		return h, false
	}
	if _, outages := v.interrupted(); outages && v.base.k < 2 {
		return h, false // what is lost is lost in outages
	}
	if v.cc != "" && !lossBased[v.cc] && h.share <= bbrCliff {
		return h, false // the sender does not take a loss for congestion
	}
	if v.losses.Resent == 0 && h.share*float64(v.losses.Segments) > unmetLoss {
		return h, false // the stream lost nothing: what UDP met was no random loss
	}
	if _, _, emptied := v.emptiedBucket(); emptied && v.alike() {
		return h, false // what is lost exceeds a rate, if one that a bucket hides at first
	}
	h.model = theory.CubicRate(v.idle.Mid, h.share, v.mss)
	if _, policed := v.policer(); policed && h.model > lossIsLittle*v.capacity {
		return h, false // what little is lost below the policer's rate explains nothing
	}
	if lossBased[v.cc] && v.rate > beyondModel*h.model {
		return h, false // the stream has not met this loss: what UDP met was no random loss
	}
	if v.reordered() && v.rate < byLossAlone*min(h.model, v.capacity) {
		return h, false // the stream is far slower than this loss makes it
	}
	return h, true
}

// ofLoss is the finding that a share of the packets is lost at random.
func (v *view) ofLoss(p, confidence float64) *finding.Finding {
	return &finding.Finding{
		Cause:      finding.LossLimited,
		Confidence: confidence,
		Severity:   v.shortfall() * v.limits.Network,
		Summary: fmt.Sprintf("The path loses %s of the packets whatever the rate, and %s: one stream gets %s of %s.",
			percent(p), v.lossWords(), rate(v.rate), rate(v.capacity)),
		Evidence: v.lossEvidence(p),
		Remedies: v.lossRemedies(p),
	}
}

func (v *view) lossConfidence(held heldByLoss) float64 {
	c := v.lossFits(held)
	if s, ok := flow.Sending(v.one); ok && !flow.TellsSpurious(&flow.Final(s).Info) {
		c = min(c, 0.5) // what was only overtaken looks the same
	}
	if v.moves() {
		return min(c, 0.6) // others' queue may be what drops
	}
	if v.perhapsOthers() || held.share > heavyLoss || held.events < 2 && v.base.k == 0 && len(v.out.all) == 0 {
		c = min(c, perhapsOthers) // a single loss may be any queue's, a CoDel's that is nearly empty too
	}
	if v.lossComesAndGoes() {
		return min(c, unevenLoss)
	}
	return c
}

// perhapsOthers is the confidence of random loss where others' traffic, or a way
// back that is full, would look the same, and something speaks for it: 2 of 5.
const perhapsOthers = 0.5

// perhapsOthers says that something speaks for others' traffic, or for a full way
// back.
func (v *view) perhapsOthers() bool {
	return v.losesMore() || v.crowdLeaves() || v.acksFillBack()
}

// losesMore says that the stream lost a clearly larger share than evenly sent UDP
// did (95 % intervals, and twice as much). What is lost at random takes the same
// of both; a queue that others keep full has the least room for what comes at
// once.
func (v *view) losesMore() bool {
	own := proportion{k: v.losses.Real, n: v.losses.Segments}
	return v.base.k > 0 && own.n > 0 && own.low() > 2*v.base.high()
}

// crowdLeaves says that eight streams left much of the path, although each of them
// meets random loss for itself and they would carry several times what one does.
func (v *view) crowdLeaves() bool {
	return v.eight != nil && v.eight.SteadyRate < shallowShare*min(v.capacity, crowdGains*v.rate)
}

// unevenLoss is the confidence where the loss is not the same from rung to rung:
// bursts do that, and so does other traffic that comes and goes.
const unevenLoss = 0.85

// lossComesAndGoes says that rungs which the path could carry lost shares that
// differ by far more than chance makes of one probability: Pearson's χ² lies five
// standard deviations above its mean.
func (v *view) lossComesAndGoes() bool {
	p, n, squares := v.base.mean(), 0.0, 0.0
	if p <= 0 || p >= 1 {
		return false
	}
	for _, r := range v.rungs {
		expected := p * float64(r.packets)
		if expected < 5 || r.sent >= baselineShare*v.capacity || r.overloaded(v.rungs) {
			continue // χ² wants five at the least
		}
		d := float64(r.lost) - expected
		n, squares = n+1, squares+d*d/(expected*(1-p))
	}
	return n >= 2 && squares > n-1+5*math.Sqrt(2*(n-1))
}

// lossFits is the confidence by how many losses there were and how well they
// explain the rate.
func (v *view) lossFits(held heldByLoss) float64 {
	c := 0.75
	if held.events >= 10 {
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
	switch fit := v.rate / min(held.model, v.capacity); {
	case fit > 1.0/3 && fit < 3:
		c += 0.1
	case fit > 10 || fit < 0.1:
		c -= 0.2
	}
	return c
}

func (v *view) lossEvidence(p float64) []finding.Evidence {
	e := []finding.Evidence{
		{What: "one stream carries", Value: v.rate, Unit: finding.BitRate},
		{What: "the path carries", Value: v.capacity, Unit: finding.BitRate},
		{What: "random loss", Value: p, Unit: finding.Ratio},
	}
	if v.base.n > 0 {
		e = append(e, finding.Evidence{What: "UDP loss below the ceiling", Value: v.base.mean(), Unit: finding.Ratio})
	}
	if v.cc == "" || lossBased[v.cc] {
		e = append(e, finding.Evidence{What: "expected of CUBIC at this RTT and loss", Value: v.expected(), Unit: finding.BitRate, Source: theory.CubicSource})
	}
	e = append(e, v.limitEvidence()...)
	return append(e, v.retransmitEvidence()...)
}

// retransmitEvidence is what the sender resent, what of it was spurious, and the
// RTT while it did.
func (v *view) retransmitEvidence() []finding.Evidence {
	e := []finding.Evidence{
		{What: "retransmits", Value: float64(v.losses.Resent), Unit: finding.Count},
		{What: "of them spurious (DSACK)", Value: v.losses.SpuriousShare(), Unit: finding.Ratio},
		{What: "RTT idle", Value: v.idle.Mid, Unit: finding.Seconds},
		{What: "RTT under load", Value: v.loaded.Mid, Unit: finding.Seconds},
	}
	if at, ok := v.rttAtLoss(); ok {
		e = append(e, finding.Evidence{What: "RTT while losing", Value: at, Unit: finding.Seconds})
	}
	return e
}

// rttAtLoss is the sender's mean RTT while it retransmitted, where its host tells: once
// slow start was over, where it lost anything then.
func (v *view) rttAtLoss() (seconds float64, ok bool) {
	s, _ := flow.Sending(v.one)
	if at, ok := flow.RTTAtLoss(s, flow.Since(steadyFrom*v.one.Duration)); ok {
		return at, ok
	}
	return flow.RTTAtLoss(s, flow.All)
}

func (v *view) lossRemedies(p float64) []finding.Remedy {
	fix := finding.Remedy{
		What:  "Find the loss where it happens: radio link, cable, or a tunnel's overflowing socket. Forward error correction in the tunnel hides what cannot be mended.",
		Where: finding.Network,
	}
	if v.cc == "bbr" || v.cc == "bbr2" || v.cc == "bbr3" {
		return []finding.Remedy{fix}
	}
	bbr := finding.Remedy{
		What:  "Use BBR on the host that sends: it goes by the delivery rate and the RTT, not by single losses. It acts on new connections.",
		Where: finding.Sender,
		Host:  v.sender(),
	}.By(finding.UseCC("bbr"))
	if p > bbrCliff {
		return []finding.Remedy{fix}
	}
	return []finding.Remedy{bbr, fix}
}

// lossWords say what the sender makes of a loss.
func (v *view) lossWords() string {
	if v.cc != "" && !lossBased[v.cc] {
		return v.ccName() + " does not make up for so much"
	}
	return v.ccName() + " takes each loss for congestion"
}

// ccName names the sender's congestion control and its host: the other
// direction's sender may run another.
func (v *view) ccName() string {
	if v.cc == "" {
		return "the sender's congestion control"
	}
	if v.sender() == "near" {
		return "this host's " + v.cc
	}
	return "the far host's " + v.cc
}
