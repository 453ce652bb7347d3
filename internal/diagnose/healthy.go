package diagnose

import (
	"fmt"
	"slices"

	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/theory"
)

// healthy is the finding where no rule found a cause: one stream carries what
// the path can. Where it does not, the finding is unclear, and says so.
func healthy(v *view) *finding.Finding {
	f := finding.Finding{
		Cause:      finding.Healthy,
		Confidence: fillsMost(v.rate / max(v.capacity, 1)),
		Summary: fmt.Sprintf("One stream carries %s, and that is what the path can carry (%s).",
			rate(v.rate), rate(v.capacity)),
		Evidence: append([]finding.Evidence{
			{What: "one stream carries", Value: v.rate, Unit: finding.BitRate},
			{What: "the path carries", Value: v.capacity, Unit: finding.BitRate},
		}, v.retransmitEvidence()...),
	}
	switch {
	case v.alone() && !v.queued():
		v.aloneWithoutQueue(&f)
	case v.alone() && v.moves():
		f.Cause, f.Confidence = finding.Unclear, unclearConfidence
		f.Summary = fmt.Sprintf("One stream carries %s and meets a queue, but one fills and drains without our load as well (RTT %s to %s). Nothing else was measured of this direction, so what the path can carry is not known.",
			rate(v.rate), duration(v.idle.Low), duration(v.idle.High))
	case v.alone() && v.once() > fasterOnce*v.rate:
		f.Cause, f.Confidence = finding.Unclear, unclearConfidence
		f.Summary = fmt.Sprintf("One stream carries %s and meets a queue, but for a moment %s came through: either the path's rate changes, or what queues are its acknowledgements on their way back, or others take what is missing. Nothing else was measured of this direction.",
			rate(v.rate), rate(v.once()))
	case !v.slow() && v.alone():
		f.Confidence = fillsAlone
		f.Summary = fmt.Sprintf("One stream carries %s and keeps a queue standing at the bottleneck: it fills the path. Nothing else was measured of this direction.", rate(v.rate))
	case !v.slow():
	case v.fillsAsItIs():
		f.Confidence = slowsMost
		f.Summary = fmt.Sprintf("One stream carries %s and keeps the bottleneck busy all the time. Its rate changes: at another time it was %s.",
			rate(v.rate), rate(v.capacity))
	case v.growing && v.losses.Real == 0 && len(v.stalls) == 0 && theory.CubicGrowth(v.bdp(), v.mss) < soon:
		f.Confidence = younger
		f.Summary = fmt.Sprintf("One stream had reached %s of the %s that the path can carry when it ended, and was still speeding up: nothing but its own start held it back.",
			rate(v.rate), rate(v.capacity))
		if v.jittery() {
			f.Confidence = slowsMost
			f.Summary += " But the delay varies and keeps the packets' order, so that they come in bunches: once the stream is faster, these may overflow the queue."
		}
	case v.rate >= shallowShare*v.capacity && v.limits.Starved < limitShare && len(v.stalls) == 0:
		// A stream that still speeds up, or that a short queue makes a little
		// slower, lacks nothing that a setting would mend.
		f.Confidence = younger
		f.Summary = fmt.Sprintf("One stream carries %s of the %s that the path can; nothing holds it back but its own start and a short queue.",
			rate(v.rate), rate(v.capacity))
	default:
		f.Cause, f.Confidence, f.Severity = finding.Unclear, unclearConfidence, 0.1
		f.Summary = fmt.Sprintf("One stream carries only %s of the %s that the path can, and nothing that was measured says why.",
			rate(v.rate), rate(v.capacity))
		if v.limits.Starved >= limitShare {
			f.Summary += " The sender often had nothing to send although both windows had room: either its buffer is too small or its program offers no more."
		}
		f.Evidence = append(f.Evidence, v.limitEvidence()...)
	}
	if wait := v.nearlyBloated(); f.Cause == finding.Healthy && wait > 0 {
		f.Confidence = min(f.Confidence, nearBloat)
		f.Summary += fmt.Sprintf(" Under load a round trip takes %s longer: a little more would be bufferbloat.", duration(wait))
	}
	if f.Cause == finding.Healthy && v.contradicted() {
		f.Confidence = min(f.Confidence, contradictedMost)
		f.Summary += fmt.Sprintf(" But eight streams carried %s, and UDP at another time far less: the path's rate changes, and what one stream misses of it is not known.", rate(v.eight.SteadyRate))
	}
	if f.Cause == finding.Healthy && v.eight != nil && v.eight.SteadyRate < v.rate/2 {
		f.Confidence = min(f.Confidence, halvesMost)
		f.Summary += fmt.Sprintf(" But eight streams carried only %s: the path's rate changes, and what one stream misses of it is not known.", rate(v.eight.SteadyRate))
	}
	if n, lasting := v.sinksBy(); f.Cause == finding.Healthy && n > 0 {
		f.Confidence = min(f.Confidence, sinksPerhaps)
		f.Summary += fmt.Sprintf(" But it lost packets %s while its queue was far from full: were such losses as frequent later, about %s would be left.", times(n), rate(lasting))
	} else if n := v.mightSink(); f.Cause == finding.Healthy && n > 0 {
		f.Confidence = min(f.Confidence, mightSinkMost)
		f.Summary += fmt.Sprintf(" But it lost packets %s while its queue was far from full: a few such losses more would slow it down.", times(n))
	}
	if faster := v.passedFaster(); f.Cause == finding.Healthy && faster > 0 {
		f.Confidence = min(f.Confidence, slowsMost)
		f.Summary += fmt.Sprintf(" But for a moment UDP got %s through, of which little waited: the path's rate changes, or a bucket held that much.", rate(faster))
	}
	if limit := v.outruns(); f.Cause == finding.Healthy && limit > 0 {
		f.Confidence = min(f.Confidence, outrunsMost)
		f.Summary += fmt.Sprintf(" But UDP ended at %s without a queue, and the stream lost nothing above that: the limit may be UDP's alone, and then nobody knows what the path carries of TCP.", rate(limit))
	}
	if n := len(v.out.all); f.Cause == finding.Healthy && n > 0 {
		f.Confidence = min(f.Confidence, 0.8)
		f.Summary += fmt.Sprintf(" Nothing at all came through %s, for %s of the time.", times(n), percent(v.out.share()))
	}
	if f.Cause == finding.Healthy && v.unaskedOutside() {
		f.Confidence = min(f.Confidence, unaskedMost)
		f.Summary += " Whether the network lets TCP have more than the tunnel's UDP was not asked: no time was left."
	}
	if f.Cause == finding.Healthy && v.carrier.relayed >= relayedShare && !v.run.Route.Tunnel.Relay.Datagrams() {
		f.Confidence = min(f.Confidence, 0.6)
		f.Summary += " All of it went through a relay's TCP, which sets what arrives: what the path beneath could carry is not known."
	}
	return &f
}

// once is the most that came of the one stream, in order or not, within a round trip
// and at least half a second, in bit/s: a bottleneck of one rate lets no more through
// than that.
func (v *view) once() float64 {
	most := 0.0
	for _, s := range v.one.Series {
		width := max(v.idle.Mid, 0.5)
		for at := width; at+width <= v.one.Duration; at += width / 4 {
			most = max(most, 8*(came(s, at+width, v.mss)-came(s, at, v.mss))/width)
		}
	}
	return most
}

// fasterOnce is more than a stream's growth and the ends of a span make of one rate.
const fasterOnce = 1.5

// contradicted says that what overloads delivered is clearly less than one stream had,
// and eight streams had clearly more: neither is what the path can carry. Of 14 kept
// directions like that 12 were healthy.
func (v *view) contradicted() bool {
	top, known := v.ceiling()
	return known && top < slowShare*v.rate && v.eight != nil && slowShare*v.eight.SteadyRate > v.rate
}

// outruns is the rate at which UDP ended without a queue, where the one stream carried
// more than that from slow start to its end and lost nothing, and no other stream was
// measured; 0 elsewhere. Who drops UDP above a rate lets TCP have more.
func (v *view) outruns() float64 {
	top, known := v.ceiling()
	waits := slices.ContainsFunc(v.overloads(), func(r rung) bool {
		return !r.risen || r.rise > max(leastQueue(r), 4*v.idle.Noise())
	})
	if !known || waits || v.eight != nil || v.queued() || v.losses.steady > 0 || v.rate < elsewhere*top {
		return 0
	}
	return top
}

// passedFaster is what a rung delivered that lost nothing, stood in no queue, and was
// clearly faster than what the path is taken to carry; 0 where none was.
func (v *view) passedFaster() float64 {
	most := 0.0
	for _, r := range v.rungs {
		if r.lost == 0 && r.packets >= fewPackets && r.risen && r.rise < max(4*v.idle.Noise(), v.idle.Mid*hiddenQueue) && r.delivered > v.capacity/slowShare {
			most = max(most, r.delivered)
		}
	}
	return most
}

// How often paths were healthy on which nothing was found, by what was seen, in
// sixteen draws (docs/diagnosis-draws.md): where one stream has 0.8 to 0.9 of the
// capacity in 40 of 44, with more in 289 of 294; where it fills a queue and nothing
// else was measured in 32 of 34; where only its start or a short queue holds it back in
// 19 of 20. The small counts are shrunk.
func fillsMost(share float64) float64 { return 0.88 + 0.5*(share-slowShare) }

const (
	fillsAlone = 0.88
	younger    = 0.85
	// halvesMost: where eight streams had less than half of what one had, 3 of 5.
	halvesMost = 0.6
	// contradictedMost: see contradicted; a small count, shrunk.
	contradictedMost = 0.8
	// sinksPerhaps: where one packet was lost that no queue was full for, 1 of 2.
	sinksPerhaps = 0.6
	// mightSinkMost: of 6 such paths 4 were healthy.
	mightSinkMost = 0.7
	// outrunsMost: the one path like that so far had a short queue for TCP.
	outrunsMost = 0.6
	// fillsByProbes: where nothing but one BBR stream was measured, 2 of 2; shrunk.
	fillsByProbes = 0.7
	// fillsTrains: where a stream's packets come no faster within a burst, 6 of 6.
	fillsTrains = 0.8
)

// unclearConfidence is how often nothing that anybody could mend was the truth
// where no rule found a cause: none of 40 in the kept draws at first sight.
const unclearConfidence = 0.05

// unaskedOutside says that the stream goes through a tunnel over UDP, and the path is
// so long that no time was left to ask outside.
func (v *view) unaskedOutside() bool {
	return v.run.Route.Tunnel.OverUDP() && v.run.BesideIn(v.dir, true) == nil && v.idle.Mid > longTunnel
}

const (
	// unaskedMost: of 31 such paths said to be healthy 29 were, of shorter ones 270 of 271.
	unaskedMost = 0.89
	longTunnel  = 0.1 // seconds
)

// stoodStill is the finding of a direction of which nothing is known but that a
// stream carried nothing, for whatever reason; nil where none stood still.
func stoodStill(r *record.Run, d record.Direction) *finding.Finding {
	still := stillStream(r, d)
	if still == nil {
		return nil
	}
	return &finding.Finding{
		Cause: finding.Unclear, Confidence: unclearConfidence, Severity: 0.1,
		Summary: fmt.Sprintf("One stream stood still for the whole %s, and nothing that was measured says why.", duration(still.Duration)),
		Evidence: []finding.Evidence{
			{What: "one stream carries", Value: still.SteadyRate, Unit: finding.BitRate},
			{What: "retransmits", Value: float64(still.Retransmits), Unit: finding.Count},
		},
	}
}

// bbrProbes says that BBR sends, and that its start-up is over: neither a window nor its
// program holds it, and it does not take loss for congestion.
func (v *view) bbrProbes() bool {
	return v.cc == "bbr" && !v.bbrStarts() && len(v.stalls) == 0 && v.limits.Network >= limitShare
}

// aloneWithoutQueue: the stream filled no queue, and nothing else was sent. What the
// path carries is known by the stream's own trains, or not at all.
func (v *view) aloneWithoutQueue(f *finding.Finding) {
	train := v.trainRate()
	if _, q, ok := v.ownQueue(); ok && lossBased[v.cc] && len(v.stalls) == 0 {
		f.Confidence = fillsAlone
		f.Summary = fmt.Sprintf("One stream carries %s and keeps the sending host's own shaper busy, %s on %s, which held its packets back: it fills the path. Nothing else was measured of this direction.", rate(v.rate), q.Kind, q.Device)
		return
	}
	if v.bbrProbes() {
		f.Confidence = fillsByProbes
		f.Summary = fmt.Sprintf("One stream carries %s, and its BBR, which tries a quarter more every eight round trips whatever it loses, found no more: it fills the path. Nothing else was measured of this direction.", rate(v.rate))
		return
	}
	if !v.fillsTrains(train) {
		f.Cause, f.Confidence = finding.Unclear, unclearConfidence
		f.Summary = fmt.Sprintf("One stream carries %s. Nothing else was measured of this direction, so what the path can carry is not known.", rate(v.rate))
		return
	}
	f.Confidence = fillsTrains
	f.Summary = fmt.Sprintf("One stream carries %s, and its packets came no faster where they came close together (%s): it fills the path. Nothing else was measured of this direction.",
		rate(v.rate), rate(train))
	f.Evidence[1] = finding.Evidence{What: "packets arrive within a burst at", Value: train, Unit: finding.BitRate}
}
