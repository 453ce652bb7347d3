//go:build !slim

package view

import (
	"math"
	"slices"

	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/flow/packets"
	"unchoke/internal/live"
)

// Headers are what the headers of packets tell of the lone streams of a direction, once
// their start was over.
type Headers struct {
	// Packets are the figures of the stream that lost most often; what they tell of
	// losses is of all streams.
	live.Packets
	// Lost are the occasions of which the packet before is known, of so many segments.
	Lost     []packets.Occasion
	Segments float64
}

// LostTo is what takes a stream's packets, as far as their headers tell.
type LostTo int

// What they may be lost to.
const (
	LostUnknown  LostTo = iota
	LostToChance        // whatever waits, whatever is on its way and left just before
	LostToItself        // in a queue that is full, when most of the stream is on its way
	LostToOthers        // in a queue that is full, however little of the stream is on its way
)

const (
	leastOccasions = 4
	passesFull     = 0.75 // of what passes in one go: a third more is not to be had
	shortBefore    = 0.05 // of the least RTT: what waits less waits in no queue
)

// Headers are those of this direction; nil where nobody read them.
func (v *View) Headers() *Headers {
	if v.headers == nil {
		h := v.readHeaders()
		v.headers = &h
	}
	if v.headers.Passes == 0 {
		return nil
	}
	return v.headers
}

func (v *View) readHeaders() (h Headers) {
	most := -1
	for _, t := range v.lone() {
		if t.Packets == nil || v.Spoiled != nil && t != v.One {
			continue
		}
		p := packets.Started(t.Packets)
		f, lost := packets.Figures(p)
		if f.Passes == 0 {
			continue
		}
		if f.Occasions > most {
			most = f.Occasions
			h.Packets = f
		}
		for i := range lost {
			lost[i].At += t.Started
		}
		h.Lost = append(h.Lost, lost...)
		for _, n := range p.Bytes {
			h.Segments += float64(n) / float64(p.SegmentSize)
		}
	}
	h.Occasions = len(h.Lost)
	h.Before, h.Waited, h.Filled, h.Burst = packets.Typical(h.Lost)
	return h
}

// stands is the wait, in seconds, from which a queue stands.
func (h *Headers) stands() float64 { return max(leastWait, shortBefore*h.Least, h.Sway) }

// Undisturbed says that half of the packets waited in no queue at all, whoever fills it,
// and that in one go as much passes as the path carries: nobody takes a part of it.
func (v *View) Undisturbed(h *Headers) bool {
	return h.Least+h.Wait-min(v.LeastSeen(), h.Least) <= h.stands() && h.Passes >= passesFull*v.Capacity
}

// untried is what passes in one go, in bit/s, where the stream has far less of it, loses
// nothing and hardly waits: the path is not what holds it back, whatever was tried
// beside it. 0 where that is not so.
func (v *View) untried() float64 {
	h := v.Headers()
	if h == nil || len(h.Lost) > 0 || v.One.Retransmits > 0 || h.Wait > h.stands() || v.Rate >= untriedShare*h.Passes {
		return 0
	}
	return h.Passes
}

// untriedShare: 4 of 4 kept directions like that, of some 280, are slow for a window.
const untriedShare = 0.6

// LostTo is what takes this stream's packets, of a sender that answers to losses and
// where order is kept. Where the stream carries most of what the path lets through,
// nothing is asked.
func (v *View) LostTo() (LostTo, *Headers) {
	h := v.answering()
	if h == nil || v.Rate >= passesFull*h.Passes {
		return LostUnknown, h
	}
	by := h.lostTo()
	if by != LostToOthers {
		return by, h
	}
	if _, changes := v.Steps(); changes || h.inSpells() || v.Releases() {
		// A line that slows down fills its queue, whoever sends, a handover delays, and what
		// was held back for the order's sake has waited longer than the rest.
		return LostUnknown, h
	}
	return by, h
}

// answering are the headers of a stream that answers to losses, where order is kept and
// it lost often enough to tell; nil otherwise.
func (v *View) answering() *Headers {
	h := v.Headers()
	if h == nil || len(h.Lost) < leastOccasions || v.Reordered() || !congestion.LossBasedOrUnknown(v.CC) {
		return nil
	}
	return h
}

func (h *Headers) lostTo() LostTo {
	stood := h.Before > h.stands()
	switch {
	// At the top of what the stream had on its way the line is slower at times; at the end
	// of its own bunches, these overflow the queue.
	case stood && h.Foreign >= live.SomeForeign && max(h.Filled, h.Burst) < live.TopRank,
		stood && h.Waited >= max(packets.ByChance(len(h.Lost)), live.FullerRank) && h.Filled <= live.AnyRank:
		return LostToOthers
	case stood && h.Waited >= live.HighRank && h.Filled >= live.HighRank:
		return LostToItself
	case !stood && h.Waited <= live.AnyRank && h.Filled <= live.HighRank && h.Burst < live.TopRank:
		return LostToChance
	}
	return LostUnknown
}

// inSpells says that all was lost within a second, or two of them: a handover does that,
// while others' traffic goes on. On 23 kept paths with others losses go on for longer.
func (h *Headers) inSpells() bool {
	spells, begun, last := 0, math.Inf(-1), math.Inf(-1)
	for _, at := range h.lostAt() {
		if at-last > spellsApart {
			spells, begun = spells+1, at
		}
		if last = at; last-begun > spellMost {
			return false
		}
	}
	return spells <= 2
}

const (
	spellsApart = 0.5 // seconds without a loss
	spellMost   = 1.0 // seconds
)

// lostAt are the times of the occasions, in order.
func (h *Headers) lostAt() []float64 {
	out := make([]float64, len(h.Lost))
	for i, x := range h.Lost {
		out[i] = x.At
	}
	slices.Sort(out)
	return out
}

// LostBesideNothing are the occasions on which the stream lost something while no queue
// stood, of the segments that it sent.
func (v *View) LostBesideNothing() seen.Proportion {
	h := v.answering()
	if h == nil {
		return seen.Proportion{}
	}
	return h.lostBesideNothing()
}

func (h *Headers) lostBesideNothing() seen.Proportion {
	p := seen.Proportion{N: int64(h.Segments)}
	for _, x := range h.Lost {
		if x.Wait <= h.stands() {
			p.K++
		}
	}
	return p
}
