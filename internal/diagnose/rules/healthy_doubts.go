package rules

import (
	"fmt"
	"math"

	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/stats"
	"unchoke/internal/theory"
)

// doubts make the health of a path less sure: what a longer stream might meet, and what
// was not asked.
func doubts(v *view.View, f *finding.Finding) {
	if v.Slow() && v.Jittery() {
		doubt(f, slowsMost, "But the delay varies and keeps the packets' order, so that they come in bunches: once the stream is faster, these may overflow the queue.")
	}
	if wait := v.NearlyBloated(); wait > 0 {
		doubt(f, nearBloatSure(v), "Under load a round trip takes %s longer: bufferbloat, or nearly, if one stream kept it so.", words.Duration(wait))
	}
	lesserDoubts(v, f)
	if n, lasting := v.SinksBy(); n > 0 {
		doubt(f, sinksPerhaps, "But it lost packets %s while its queue was far from full: were such losses as frequent later, about %s would be left.", words.Times(n), words.Rate(lasting))
	} else if n := v.MightSink(); n > 0 {
		doubt(f, mightSinkMost, "But it lost packets %s while its queue was far from full: a few such losses more would slow it down.", words.Times(n))
	}
	if lasting := lossLeaves(v); lasting < v.Capacity/2 {
		doubt(f, lostBelowMost, "But of %d UDP packets sent below that rate %d were lost: if TCP's are lost as often, a longer stream is left with about %s.", v.Base.N, v.Base.K, words.Rate(lasting))
	}
	if one, lasting := unseenLeaves(v); lasting < unseenShare*v.Rate {
		doubt(f, unseenMost, "But random loss of one packet in %.0f would hardly have shown in this check, and would leave a longer stream about %s at this round-trip time.", one, words.Rate(lasting))
	}
	if n := len(v.Out.All); n > 0 {
		next := ""
		if v.Out.Share() >= silentMuch {
			next = " No setting of TCP's carries anything meanwhile: find what interrupts the path."
		}
		doubt(f, silentMost, "Nothing at all came through %s, for %s of the time."+next, words.Times(n), words.Percent(v.Out.Share()))
	}
	if _, busy := v.Others(); busy {
		doubt(f, othersMost, "But other traffic was seen at the bottleneck: what it leaves to one stream may be less at another time.")
	}
	if v.Unanswered() {
		doubt(f, unansweredMost, "But no echo probe was answered: whether a queue stands, or others have a part of the path, is not known.")
	}
	if v.UnaskedOutside() {
		doubt(f, unaskedMost, "Whether the network lets TCP have more than the tunnel's UDP was not asked.")
	}
	if v.Carrier.Relayed >= view.RelayedShare && !v.Run.Route.Tunnel.Relay.Datagrams() {
		doubt(f, 0.6, "All of it went through a relay's TCP: what the path beneath could carry is not known.")
	}
}

// doubt is one of them: how sure health is at the most, and why.
func doubt(f *finding.Finding, most float64, format string, args ...any) {
	f.Confidence = min(f.Confidence, most)
	f.Summary += " " + fmt.Sprintf(format, args...)
}

// lossLeaves is what losses as frequent as UDP's below the ceiling leave a loss-based
// sender at the most in the long run, in bit/s: without end where UDP lost too few to say,
// or so many that they were UDP's alone.
func lossLeaves(v *view.View) float64 {
	if v.Base.K < 3 || v.Base.Mean() > view.HeavyLoss || !congestion.LossBasedOrUnknown(v.CC) {
		return math.Inf(1)
	}
	return theory.CubicRate(v.Idle.Mid, v.Base.Low(), v.MSS)
}

// unseenLeaves is one packet of how many might be lost at random without this check having
// met it, and what that leaves a loss-based sender in the long run, in bit/s: without end
// for others.
func unseenLeaves(v *view.View) (one, rate float64) {
	if !congestion.LossBasedOrUnknown(v.CC) {
		return 0, math.Inf(1)
	}
	one = (v.One.Rate*v.One.Duration/8/float64(v.MSS) + float64(v.Base.N)) / stats.RuleOfThree
	return one, theory.CubicRate(v.Idle.Mid, 1/one, v.MSS)
}

const (
	// lostBelowMost: of the kept directions like that 2 of 5 were healthy.
	lostBelowMost = 0.6
	// unseenMost: of 9 paths said to be healthy on which such loss would leave less than
	// unseenShare of the rate 6 were, of 45 on which it would leave 0.6 of it and more all.
	unseenShare = 0.4
	unseenMost  = 0.85
	// sinksPerhaps: where one packet was lost that no queue was full for, 1 of 2.
	sinksPerhaps = 0.6
	// mightSinkMost: of 6 such paths 4 were healthy.
	mightSinkMost = 0.7
	silentMuch    = 0.05 // of the time
	// silentMost: of 9 such directions said to be healthy 6 were; shrunk.
	silentMost = 0.6
	// unansweredMost: of kept checks, taken as if no probe had been answered, 213 of 257
	// such verdicts stay what they were.
	unansweredMost = 0.7
	// othersMost: of 5 kept directions like that 3 were healthy.
	othersMost = 0.6
	// unaskedMost: of 39 such paths said to be healthy 36 were, of shorter ones 270 of 271.
	unaskedMost = 0.85
)
