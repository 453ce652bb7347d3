//go:build !slim

package watched

import (
	"fmt"

	"unchoke/internal/finding"
	"unchoke/internal/flow/packets"
	"unchoke/internal/live"
)

// The rules of this file go by the headers of the packets, where they could be read:
// what passes the path in one go, and what there was before a loss.

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
	if p == nil || v.rate < passesFull*p.Passes {
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

// outdone says that others' packets fill the queue: this stream's wait for longer than
// its own explain, or it was fuller than chance makes it when the stream lost, whatever
// the stream had on its way.
func (v *view) outdone() bool {
	p := v.packets()
	if p == nil {
		return false
	}
	many := v.knowsLosses(manyOccasions)
	if p.Foreign >= mostForeign && !(many && p.Filled >= live.TopRank) { // else the line itself is slower at times
		// At the receiver a sender that rests looks as if its packets waited.
		return v.sends || many && p.Filled < live.HighRank
	}
	if !many {
		return false
	}
	return p.Waited >= max(packets.ByChance(p.Occasions), live.FullerRank) && p.Filled <= live.AnyRank && p.Before > max(leastRise, shortWait*p.Least)
}

// answeredLate: one acknowledgement answers most of what is on its way, again and again,
// and the peer's window was narrow for what waited to be read. Where packets come in
// bunches by themselves, nothing waits.
func (v *view) answeredLate() *said {
	if v.near == nil || v.near.Packets.Together < mostTogether || v.near.Dips < someDips {
		return nil
	}
	together := v.near.Packets.Together
	return v.bursts(fmt.Sprintf("%s of the data was acknowledged late, most of what was on its way at once", percent(together)),
		finding.Evidence{What: "data that one acknowledgement answered with most of what was on its way", Value: together, Unit: finding.Ratio})
}

// inBunches: the RTT sways by so much from one packet to the next that nothing is
// known of what passes. The path's delay varies, packets come in bunches, and those
// overflow the queue.
func (v *view) inBunches(e []finding.Evidence) *said {
	if p := v.near.Packets; p.Arrivals == 0 || p.Passes > 0 {
		return nil
	}
	return &said{
		cause: finding.ShallowBuffer, confidence: 0.5, evidence: e,
		summary: fmt.Sprintf("The path's delay varies from packet to packet, and the stream loses whenever %.0f segments are under way: they come in bunches that are longer than the queue.",
			v.near.Losses.Flight),
	}
}

// atSender is the advice where a receiving host can do nothing about a verdict; empty
// where it can.
func (v *view) atSender(cause finding.Cause) (advice, next string) {
	switch cause {
	case live.Watching, finding.Healthy, finding.ReceiveWindow, finding.MTUBlackhole:
		return "", ""
	}
	if v.sends {
		return "", ""
	}
	return "what helps is at the sender: run unchoke check --flow there" + servedThere, "unchoke check " + host(v.Remote)
}

// crowded: the queue is full whenever the stream loses, and it is not the stream
// that fills it.
func crowded(v *view) *said {
	if !v.outdone() {
		return nil
	}
	s := &said{
		cause: finding.Congested, confidence: 0.7,
		summary: fmt.Sprintf("The stream loses when the queue is full, however little it has on its way itself: other traffic fills the bottleneck and leaves it %s.",
			rate(v.rate)),
		evidence: append(v.networkEvidence(), v.packetEvidence()...),
	}
	if foreign := v.packets().Foreign; foreign >= mostForeign {
		s.summary = fmt.Sprintf("%s of the packets waited for longer than all that the stream had on its way takes to pass: other traffic fills the bottleneck and leaves it %s.",
			percent(foreign), rate(v.rate))
	}
	return s
}

// emptied: the stream loses when more is on its way than nearly ever, and what left
// just before did not wait: a bucket was empty. A queue that is full makes that wait.
func emptied(v *view) *said {
	if !v.empties() {
		return nil
	}
	return &said{
		cause: finding.Policed, confidence: 0.6,
		summary: fmt.Sprintf("The stream loses when most is on its way, and what left just before did not wait: something without a queue drops what exceeds a rate, and leaves it %s.",
			rate(v.rate)),
		evidence: append(v.networkEvidence(), v.packetEvidence()...),
	}
}

// lostFew is what packets tell of few losses: where what left just before did not wait
// as long as ever, no queue overflowed, and where it waited for as long as the path
// takes, no short one.
func (v *view) lostFew() *said {
	p := v.packets()
	if p == nil || p.Occasions == 0 || !v.answersLoss() {
		return nil
	}
	stood := p.Waited >= live.HighRank && p.Before >= max(longQueue*p.Least, swayed*p.Sway)
	switch {
	case stood && v.rate >= growsBack*p.Passes:
		return &said{
			cause: finding.Healthy, confidence: 0.5,
			summary: fmt.Sprintf("The stream overflowed a queue that is long enough, %s, and has been growing back since, to %s of the %s that pass.",
				duration(p.Before), rate(v.rate), rate(p.Passes)),
			evidence: append(v.modelEvidence(), v.packetEvidence()...),
		}
	case p.Waited >= live.HighRank || v.overtaken():
		return nil
	}
	s := &said{
		cause: finding.LossLimited, confidence: 0.5,
		summary: fmt.Sprintf("The stream lost %d segments, no queue was full then, and it has been growing back since, to %s: the path loses some by chance.",
			v.Retransmits, rate(v.rate)),
		evidence: append(v.modelEvidence(), v.packetEvidence()...),
	}
	if v.packets().Filled >= live.TopRank {
		s.cause = finding.Policed
		s.summary = fmt.Sprintf("The stream lost %d segments when most was on its way, though no queue was full, and has been growing back since, to %s: a bucket was empty.",
			v.Retransmits, rate(v.rate))
	}
	return s
}

// empties says that nearly as much as ever was on its way when the stream lost, or had
// left just before, and no queue stood.
func (v *view) empties() bool {
	p := v.packets()
	if !v.knowsLosses(leastOccasions) || p.Waited > live.AnyRank {
		return false
	}
	bursts := v.sends && p.Occasions >= manyOccasions && p.Burst >= max(live.TopRank, packets.ByChance(p.Occasions))
	return p.Filled >= live.TopRank || bursts
}

// packetEvidence is what the headers tell.
func (v *view) packetEvidence() []finding.Evidence {
	p := v.packets()
	e := []finding.Evidence{
		p.PassesEvidence(),
		{What: "packets that waited for longer than this stream's own explain", Value: p.Foreign, Unit: finding.Ratio},
	}
	return append(e, p.LossEvidence()...)
}

// arriving is what the packets tell at the host that receives them; nil where that is
// not enough. The far sender may have nothing to send, or too small a buffer, and its
// rests look like waits: where the path loses nothing, nothing is known of it.
func (v *view) arriving() *said {
	p := v.packets()
	if p == nil || max(p.Silent, v.Idle) >= leastAge {
		return nil
	}
	e := append(v.receivedEvidence(), v.packetEvidence()...)
	full, few := v.rate >= passesFull*p.Passes, p.Occasions < leastOccasions
	overflows := p.Occasions > 0 && p.Waited >= live.HighRank
	least := p.Least
	if v.MinRTT > 0 { // of the handshake, before a queue stood
		least = min(least, v.MinRTT)
	}
	wait := p.Least + p.Wait - least
	switch {
	case full && overflows && wait > BloatExcess && wait > (BloatFactor-1)*least:
		return &said{
			cause: finding.Bufferbloat, confidence: 0.7, evidence: e,
			summary: fmt.Sprintf("The stream fills its path, %s, and a queue of %s stands before it, where the least round trip takes %s.",
				rate(v.rate), duration(wait), duration(least)),
		}
	case full && overflows:
		return &said{
			cause: finding.Healthy, confidence: 0.7, evidence: e,
			summary: fmt.Sprintf("The stream fills its path: it carries %s behind a queue, and no more than %s pass in one go.", rate(v.rate), rate(p.Passes)),
		}
	case !full && v.outdone():
		return &said{
			cause: finding.Congested, confidence: 0.6, evidence: e,
			summary: fmt.Sprintf("Packets are lost when the queue is full, however little of this stream is on its way: other traffic fills the bottleneck and leaves it %s.", rate(v.rate)),
		}
	case full || few:
		return nil
	case overflows && p.Filled >= live.HighRank && p.Foreign < live.SomeForeign:
		return &said{
			cause: finding.ShallowBuffer, confidence: 0.55, evidence: e,
			summary: fmt.Sprintf("The stream overflows a queue that is too short for this distance: up to %s pass in one go, and it carries %s.", rate(p.Passes), rate(v.rate)),
		}
	case v.empties():
		return &said{
			cause: finding.Policed, confidence: 0.55, evidence: e,
			summary: fmt.Sprintf("Packets are lost when most is on its way, and those just before did not wait: something without a queue drops what exceeds a rate, and leaves the stream %s.", rate(v.rate)),
		}
	case p.Waited <= live.AnyRank && p.Filled < live.HighRank && p.Foreign < live.SomeForeign && p.Occasions >= manyOccasions:
		return &said{
			cause: finding.LossLimited, confidence: 0.6, evidence: e,
			summary: fmt.Sprintf("Packets are lost whatever is on its way and however long they wait (%d times): the path loses them by chance, and the stream carries %s where up to %s pass in one go.",
				p.Occasions, rate(v.rate), rate(p.Passes)),
		}
	}
	return nil
}
