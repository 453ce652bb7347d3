package watched

import (
	"fmt"

	"unchoke/internal/finding"
	"unchoke/internal/live"
)

// The rules of this file go by the headers of the sender's packets, where they could
// be read: what passes the path in one go, and what there was before a loss.

// packets are the figures, nil where nobody read the headers.
func (v *view) packets() *live.Packets {
	if v.near == nil || v.near.Packets.Passes == 0 {
		return nil
	}
	return &v.near.Packets
}

// knowsLosses says that packets tell what there was before so many losses, of a
// sender that answers to them and where order is kept.
func (v *view) knowsLosses(occasions int) bool {
	p := v.packets()
	return p != nil && p.Occasions >= occasions && v.answersLoss() && !v.overtaken()
}

// passing: the stream carries about as much as the path lets through in one go,
// whatever it loses.
func passing(v *view) *said {
	p := v.packets()
	if p == nil || v.rate < passesFull*p.Passes || v.outdone() {
		return nil
	}
	c := 0.7
	if v.rate >= fullShare*p.Passes {
		c = 0.85
	}
	return &said{
		cause: finding.Healthy, confidence: c,
		summary: fmt.Sprintf("The stream fills its path: it carries %s, and what it sends in one go arrives at no more than %s.",
			rate(v.rate), rate(p.Passes)),
		evidence: append(v.networkEvidence(), v.packetEvidence()...),
	}
}

// outdone says that others' packets fill the queue: it was full when the stream lost,
// whatever the stream had on its way.
func (v *view) outdone() bool {
	return v.knowsLosses(manyOccasions) && v.packets().Waited >= highRank && v.packets().Filled <= anyRank
}

// crowded: the queue is full whenever the stream loses, and it is not the stream
// that fills it.
func crowded(v *view) *said {
	if !v.outdone() {
		return nil
	}
	return &said{
		cause: finding.Congested, confidence: 0.7,
		summary: fmt.Sprintf("The stream loses when the queue is full, however little it has on its way itself: other traffic fills the bottleneck and leaves it %s.",
			rate(v.rate)),
		evidence: append(v.networkEvidence(), v.packetEvidence()...),
	}
}

// emptied: the stream loses when more is on its way than nearly ever, and what left
// just before did not wait: a bucket was empty. A queue that is full makes that wait.
func emptied(v *view) *said {
	if !v.knowsLosses(leastOccasions) || v.packets().Filled < topRank || v.waits() {
		return nil
	}
	return &said{
		cause: finding.Policed, confidence: 0.6,
		summary: fmt.Sprintf("The stream loses when most is on its way, and what left just before did not wait: something without a queue drops what exceeds a rate, and leaves it %s.",
			rate(v.rate)),
		evidence: append(v.networkEvidence(), v.packetEvidence()...),
	}
}

// waits says that there may have been a queue when the stream lost.
func (v *view) waits() bool { return v.packets().Waited > anyRank }

// packetEvidence is what the headers tell.
func (v *view) packetEvidence() []finding.Evidence {
	p := v.packets()
	e := []finding.Evidence{{What: "passes in one go, by the packets' headers", Value: p.Passes, Unit: finding.BitRate}}
	if p.Occasions == 0 {
		return e
	}
	return append(e,
		finding.Evidence{What: "occasions of loss", Value: float64(p.Occasions), Unit: finding.Count},
		finding.Evidence{What: "packets that waited less than the one before a loss", Value: p.Waited, Unit: finding.Ratio},
		finding.Evidence{What: "packets that left with less on its way than the lost one", Value: p.Filled, Unit: finding.Ratio})
}
