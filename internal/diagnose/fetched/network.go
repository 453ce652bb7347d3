package fetched

import (
	"fmt"

	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/stats"
	"unchoke/internal/theory"
)

// reordered: segments come out of order and the holes close at once; this host
// told the server of segments that came twice.
func reordered(v *view) *finding.Finding {
	if !v.slow() || v.lucky() || v.stray < strayShare*v.seen.total() || v.twice() < spuriousMin {
		return nil
	}
	if len(v.holes) >= leastHoles && v.expected() < modelSpread*v.rate {
		return nil // the losses alone explain as much
	}
	return &finding.Finding{
		Cause: finding.Reordering, Confidence: 0.75, Severity: v.severity(),
		Summary: fmt.Sprintf("Packets overtake each other: %s of the segments came out of order while nothing was lost, and the server sent %d again that had only been late. It takes that for loss.",
			percent(v.stray/v.seen.total()), v.twice()),
		Evidence: append(v.evidence(), finding.Evidence{What: "segments that came twice (DSACK)", Value: float64(v.twice()), Unit: finding.Count}),
		Remedies: []finding.Remedy{
			finding.Remedy{What: "On the server: BBR, which does not go by single losses.", Where: finding.Sender}.By(finding.UseCC("bbr")),
			{What: "Find what sends packets of one connection over ways of different length: bonded links, radio, per-packet balancing.", Where: finding.Network},
		},
	}
}

// twice is how many segments this host reported as duplicates while the one
// connection ran.
func (v *view) twice() int64 {
	return v.one.Counters["TCPDSACKOldSent"] + v.one.Counters["TCPDSACKOfoSent"]
}

// lossLimited: packets vanish while no queue stands, one connection carries what
// a sender that answers to loss does, and several carry far more.
func lossLimited(v *view) *finding.Finding {
	if !v.slow() || v.lucky() || len(v.holes) < leastHoles || v.loss < leastLoss || v.queued() || v.many == nil || v.ratio() < manyOfOne {
		return nil
	}
	if v.lossMany > dropsMore*v.loss && v.ratio() < 0.5*float64(v.many.Streams) || v.droppedForMore() {
		return nil // they are dropped for what they send
	}
	fit := v.rate / v.expected()
	if fit > modelSpread || fit < 1/modelSpread/2 {
		return nil
	}
	c := stats.Clamp(0.6+0.03*float64(len(v.holes)), 0.6, 0.93)
	if v.ratio() < 2 {
		c = min(c, 0.7)
	}
	return &finding.Finding{
		Cause: finding.LossLimited, Confidence: c, Severity: v.severity(),
		Summary: fmt.Sprintf("Packets vanish while no queue stands, %s in %.0f segments, and the server takes each for congestion: one connection carries %s, %s carry %s.",
			count(len(v.holes), "time"), v.seen.total(), rate(v.rate), count(v.many.Streams, "connection"), rate(v.many.SteadyRate)),
		Evidence: append(v.evidence(),
			finding.Evidence{What: "loss events a segment", Value: v.loss, Unit: finding.Ratio},
			finding.Evidence{What: "expected of CUBIC at this RTT and loss", Value: v.expected(), Unit: finding.BitRate, Source: theory.CubicSource}),
		Remedies: []finding.Remedy{
			finding.Remedy{What: "On the server: BBR, which goes by the delivery rate and the RTT, not by single losses.", Where: finding.Sender}.By(finding.UseCC("bbr")),
			finding.FindLoss(),
		},
	}
}

// policed: packets vanish although no queue stands, the more the more
// connections send, and several carry little more than one. Where segments came
// far faster for a moment than the several ever carry for longer, a bucket let
// them pass; where they never came faster, it is a queue of a few packets. In
// between it may be either: several connections do not fill a link with such a
// queue, and its own rate shows in a moment alone.
func policed(v *view) *finding.Finding {
	if !v.slow() || v.lucky() || len(v.holes) < leastHoles || v.queued() || v.queuedOver(v.busier) || v.many == nil || v.ratio() > 0.6*float64(v.many.Streams) {
		return nil
	}
	if v.lossMany < v.loss || v.swings(v.idle) || v.swings(v.loaded) {
		return nil // a policer has no queue that could rise and fall
	}
	peak, long := v.seen.peak(0, peakWindow)*v.mss*8, v.most()
	f := &finding.Finding{
		Severity: v.severity(),
		Evidence: append(v.evidence(),
			finding.Evidence{What: "loss events a segment, one connection", Value: v.loss, Unit: finding.Ratio},
			finding.Evidence{What: "loss events a segment, several", Value: v.lossMany, Unit: finding.Ratio},
			finding.Evidence{What: "most that came within 10 ms", Value: peak, Unit: finding.BitRate},
			finding.Evidence{What: "most that the several carried within 0.3 s", Value: long, Unit: finding.BitRate}),
	}
	if peak > bucketOfRate*max(long, v.capacity) && v.ratio() < bucketShare*float64(v.many.Streams) {
		f.Cause, f.Confidence = finding.Policed, 0.75
		f.Summary = fmt.Sprintf("Somebody drops what exceeds about %s, without a queue: for a moment %s came through, then packets vanish, the more the more is sent.", rate(v.capacity), rate(peak))
		f.Remedies = []finding.Remedy{finding.Remedy{What: "On the server: pace each connection just below the limit.", Where: finding.Sender}.By(finding.PaceBelow(v.capacity))}
		return f
	}
	if peak > linkOfRate*v.capacity || peak == 0 || (bucketSeen-1)*v.capacity/8*peakWindow > leastBucket {
		return nil // a policer with a small bucket or a short queue: they look alike
	}
	f.Cause, f.Confidence = finding.ShallowBuffer, 0.65
	f.Summary = fmt.Sprintf("A queue on the path is short for this distance: it overflows before the path is full, and one connection carries %s of %s.", rate(v.rate), rate(v.capacity))
	f.Remedies = []finding.Remedy{finding.Remedy{What: "On the server: BBR, which does not have to fill a queue.", Where: finding.Sender}.By(finding.UseCC("bbr"))}
	return f
}

// congested: a queue came and went before this check sent anything, and several
// connections take a larger share than one.
func congested(v *view) *finding.Finding {
	if !v.slow() || !v.busyBefore() || v.ratio() < 1/slowShare {
		return nil
	}
	return &finding.Finding{
		Cause: finding.Congested, Confidence: 0.75, Severity: v.severity(),
		Summary: fmt.Sprintf("Others fill the path: the round trip swung from %s to %s before anything was downloaded, and %s take a larger share (%s) than one (%s).",
			duration(v.idle.Low), duration(v.idle.High), count(v.many.Streams, "connection"), rate(v.many.SteadyRate), rate(v.rate)),
		Evidence: append(v.evidence(),
			finding.Evidence{What: "RTT idle, 5th percentile", Value: v.idle.Low, Unit: finding.Seconds},
			finding.Evidence{What: "RTT idle, 95th percentile", Value: v.idle.High, Unit: finding.Seconds}),
		Remedies: []finding.Remedy{
			{What: "Find who else uses the path, or have the bottleneck share fairly (fq_codel, CAKE).", Where: finding.Network},
		},
	}
}

// busyBefore says that others kept a queue that came and went while nothing of
// this check's was under way: the idle RTT swings, and slowly, as noise does not.
func (v *view) busyBefore() bool {
	idle := rtts(v.run.Echo("idle"), 0, 1)
	return v.idle.N > 20 && v.sways() && stats.VonNeumann(idle) < 2-surely*stats.VonNeumannDeviation(len(idle))
}

// sways says that the round trip is not the path's alone while nothing of this
// check's is under way: others' queue, or jitter.
func (v *view) sways() bool {
	return v.idle.High-v.idle.Low > max(swaySeconds, swayRTT*v.idle.Mid)
}

// swings says that a round trip moves by more than noise of hosts and a short
// queue.
func (v *view) swings(s flow.Spread) bool {
	return s.N > 20 && s.High-s.Low > max(swaySeconds, littleQueue*v.idle.Mid)
}
