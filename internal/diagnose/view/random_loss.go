package view

import (
	"math"

	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/flow"
	"unchoke/internal/theory"
)

// HeldByLoss is the loss that holds a stream back.
type HeldByLoss struct {
	Share  float64 // of the packets that are lost
	Events int64   // how many losses that rests on
	Model  float64 // what a loss-based sender carries at this loss, bit/s
}

// LossHolds says that packets vanish at rates that the path can carry, and that this
// is what makes the stream slow.
func (v *View) LossHolds() (h HeldByLoss, found bool) {
	if !v.Slow() || !v.Lossy() || v.Limits.Network < LimitShare {
		return h, false
	}
	h.Share, h.Events = v.RandomLoss()
	if _, _, once := v.LostOnce(); once && v.HardlyBegun() && v.Base.K == 0 {
		return h, false // its start may have lost it
	}
	if h.Share <= 0 || v.Overshot() {
		return h, false
	}
	if v.Regrows() && v.Base.K == 0 {
		return h, false // its start lost it, and it grows back
	}
	if _, outages := v.Interrupted(); outages && v.Base.K < 2 {
		return h, false // what is lost is lost in outages
	}
	if !congestion.LossBasedOrUnknown(v.CC) && h.Share <= BBRCliff && !v.StandsByItself() {
		return h, false // the sender does not take a loss for congestion
	}
	if v.Losses.Resent == 0 && h.Share*float64(v.Losses.Segments) > unmetLoss || v.losesLess() {
		return h, false // the stream lost nothing, or far less: what UDP met was no random loss
	}
	if _, _, emptied := v.EmptiedBucket(); emptied && v.alike() || v.OneLimit() {
		return h, false // what is lost exceeds a rate, if one that a bucket hides at first
	}
	h.Model = theory.CubicRate(v.Idle.Mid, h.Share, v.MSS)
	if !v.Alone() && len(v.Stalls) == 0 && min(h.Model, v.Rate) >= ShallowShare*v.Capacity {
		return h, false // neither now nor in the long run is a third more to be had
	}
	if _, policed := v.Policer(); policed && h.Model > lossIsLittle*v.Capacity {
		return h, false // what little is lost below the policer's rate explains nothing
	}
	if v.BeyondModel(h.Share) || v.UDPLosesAlone() {
		return h, false // the stream has not met this loss: what UDP met was no random loss
	}
	if v.Reordered() && v.Rate < ByLossAlone*min(h.Model, v.Capacity) {
		return h, false // the stream is far slower than this loss makes it
	}
	return h, true
}

// BeyondModel says that the stream carries far more than so large a share of random loss
// would leave it.
func (v *View) BeyondModel(share float64) bool {
	return congestion.LossBased(v.CC) && v.Rate > beyondModel*theory.CubicRate(v.Idle.Mid, share, v.MSS)
}

// PerhapsOthers says that something speaks for others' traffic, or for a full way
// back.
func (v *View) PerhapsOthers() bool {
	return v.losesMore() || v.crowdLeaves() || v.acksFillBack()
}

// losesMore says that the stream lost a clearly larger share than evenly sent UDP
// did (95 % intervals, and twice as much). What is lost at random takes the same
// of both; a queue that others keep full has the least room for what comes at
// once.
func (v *View) losesMore() bool {
	own := v.Losses.Lost()
	return v.Base.K > 0 && own.N > 0 && own.Low() > 2*v.Base.High()
}

// losesLess says that the stream lost a clearly smaller share than what was sent beside
// it (95 % intervals, and half as much).
func (v *View) losesLess() bool {
	own := v.Losses.Lost()
	return v.Losses.Resent >= 0 && own.N > 0 && own.High() < v.Base.Low()/2
}

// crowdLeaves says that eight streams left much of the path, although each of them
// meets random loss for itself and they would carry several times what one does.
func (v *View) crowdLeaves() bool {
	return v.Eight != nil && v.Eight.SteadyRate < ShallowShare*min(v.Capacity, crowdGains*v.Rate)
}

// LossComesAndGoes says that rungs which the path could carry lost shares that
// differ by far more than chance makes of one probability: Pearson's χ² lies five
// standard deviations above its mean.
func (v *View) LossComesAndGoes() bool {
	p, n, squares := v.Base.Mean(), 0.0, 0.0
	if p <= 0 || p >= 1 {
		return false
	}
	for _, r := range v.Rungs {
		expected := p * float64(r.Packets)
		if expected < 5 || !v.carries(r) {
			continue // χ² wants five at the least
		}
		d := float64(r.Lost) - expected
		n, squares = n+1, squares+d*d/(expected*(1-p))
	}
	return n >= 2 && squares > n-1+5*math.Sqrt(2*(n-1))
}

// RTTAtLoss is the sender's mean RTT while it retransmitted, where its host tells: once
// slow start was over, where it lost anything then.
func (v *View) RTTAtLoss() (seconds float64, ok bool) {
	s, _ := flow.Sending(v.One)
	if at, ok := flow.RTTAtLoss(s, flow.Since(seen.SteadyFrom*v.One.Duration)); ok {
		return at, ok
	}
	return flow.RTTAtLoss(s, flow.All)
}

// RandomLoss is the best estimate of the loss that does not answer to the
// rate, and how many losses it rests on. Where UDP saw some, that is it: UDP
// neither fills the path nor takes the late for lost. Else it is the stream's
// own loss, as far as UDP's silence allows it.
func (v *View) RandomLoss() (p float64, events int64) {
	if v.Base.K >= 2 || v.Base.N > 0 && v.Reordered() {
		return v.Base.Mean(), v.Base.K
	}
	p = v.Losses.SteadyRatio()
	if v.Losses.Steady == 0 {
		p = v.Losses.RealRatio()
	}
	if float64(v.Base.N) >= fairSample {
		p = min(p, v.Base.High())
	}
	return p, v.Losses.Steady
}

// Lossy says that packets vanish at rates the path can carry.
func (v *View) Lossy() bool {
	if _, busy := v.Others(); busy && !v.OthersBehind() {
		return false // others' queue loses our packets as well
	}
	if v.Base.K >= 2 {
		return true
	}
	if v.Alone() {
		// Its start may have overflowed a queue that it does not reach again.
		return v.LosesUnloaded() && v.Losses.Steady > 0 && congestion.LossBasedOrUnknown(v.CC)
	}
	if _, policed := v.Policer(); v.StandsByItself() && v.Losses.Real > 0 && !policed {
		return true // no queue of a working path makes a stream stand still
	}
	if v.Reordered() || v.Queued() || v.Losses.Real == 0 || v.Losses.Steady == 0 && !v.deep() {
		return false
	}
	if _, policed := v.Policer(); policed {
		return false // what the stream lost is the policer's
	}
	if at, ok := v.RTTAtLoss(); ok && at > lossRise*v.Idle.Mid {
		return false // it lost when its own bursts had filled a queue
	}
	if !v.deep() && v.Base.N > 0 && !v.eachLoses() {
		return false // its own bursts may have overflowed a short queue
	}
	// The stream lost below the ceiling while no queue stood. That is random
	// loss, unless so little as UDP's silence allows would not make it slow.
	return float64(v.Base.N) < fairSample || theory.CubicRate(v.Idle.Mid, v.Base.High(), v.MSS) < 2*v.Rate
}

// eachLoses says that eight streams carry several times what one does, which has little of
// the path, and that none of them meets a queue: each meets the same loss for itself.
func (v *View) eachLoses() bool {
	return v.Eight != nil && v.Eight.SteadyRate > eachGains*v.Rate && v.Losses.Steady > 1 && v.Busier.N > 0 && v.Busier.Mid-v.Idle.Mid < leastWait
}

const eachGains = 6 // of eight; a queue of a few packets leaves one stream a fifth of the path

// Expected is what a loss-based sender would carry here by the model.
func (v *View) Expected() float64 {
	p, _ := v.RandomLoss()
	return min(theory.CubicRate(v.Idle.Mid, p, v.MSS), v.Capacity)
}

// LostInOneRun says that all that evenly sent UDP lost below the ceiling it lost in one row,
// as this host counted: one event, however many packets it took.
func (v *View) LostInOneRun() bool {
	runs := int64(0)
	for _, r := range v.Rungs {
		if r.Lost == 0 || !v.inBaseline(r) {
			continue
		}
		if r.Runs == 0 {
			return false // nobody counted them
		}
		runs += r.Runs
	}
	return runs == 1
}

// LosesUnloaded says that the path loses packets which wait for nobody's stream:
// more echo probes than by chance got no answer before this check sent anything else, and
// no clearly larger share than the stream lost: a host may answer some alone.
func (v *View) LosesUnloaded() bool {
	lost := seen.LostUnloaded(v.Run)
	return lost.K > seen.LeastLost && (v.Losses.Resent < 0 || lost.Low() < 2*v.Losses.Lost().High())
}

// RandomLossExplains says that the loss which UDP met below the ceiling would
// hold a loss-based stream at about the rate that it has.
func (v *View) RandomLossExplains() bool {
	return v.Base.K >= 2 && !v.losesLess() && theory.CubicRate(v.Idle.Mid, v.Base.Mean(), v.MSS) < ModelSpread*v.Rate
}

// RealLoss is the share of packets that really vanish, spurious retransmits
// left out: UDP's figure where there is one. Without one, a stream that resent
// mostly needlessly is taken to have lost nothing: DSACKs report only some of it.
func (v *View) RealLoss() (p float64, n int64) {
	switch {
	case float64(v.Base.N) >= fairSample || v.Base.N > 0 && v.Reordered():
		return v.Base.Mean(), v.Base.N
	case v.Reordered() && v.Losses.SpuriousShare() >= 0.5:
		return 0, v.Losses.Segments
	}
	return v.Losses.RealRatio(), v.Losses.Segments
}

// PathLoss is the loss below the ceiling: UDP's, or the stream's own where it
// did not itself fill the path.
func (v *View) PathLoss() float64 {
	switch {
	case v.Base.N > 0:
		return v.Base.Mean()
	case v.Queued():
		return 0
	}
	return v.Losses.RealRatio()
}
