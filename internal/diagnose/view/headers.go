//go:build !slim

package view

import (
	"cmp"
	"math"
	"slices"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/flow/packets"
	"unchoke/internal/live"
)

// LostTo is what takes a stream's packets, as far as their headers tell.
type LostTo int

// What they may be lost to.
const (
	LostUnknown  LostTo = iota
	LostToChance        // whatever waits and whatever is on its way
	LostToItself        // in a queue that is full, when most of the stream is on its way
	LostToOthers        // in a queue that is full, however little of the stream is on its way
)

// Where chance decides, the packet before a lost one waited longer than half of all;
// where a queue overflows, than nearly all. The same holds for how much was on its way.
const (
	leastOccasions = 4
	passesFull     = 0.75 // of what passes in one go: a third more is not to be had
	shortBefore    = 0.05 // of the least RTT: what waits less waits in no queue
	someForeign    = 0.2
	highRank       = 0.8
	fullerRank     = 0.7
	anyRank        = 0.65
	chanceSpan     = 2.5 // standard deviations: by chance in one of 160
)

// Headers are what the headers of packets tell of the lone streams of this direction,
// once their start was over; false where nobody read them.
func (v *View) Headers() (p live.Packets, read bool) {
	var all []live.Packets
	for i := range v.Run.Transfers {
		t := &v.Run.Transfers[i]
		if t.Packets == nil || t.Direction != v.Dir || t.MSS != v.One.MSS || v.Spoiled != nil && t != v.One {
			continue
		}
		if f := packets.Figures(packets.Started(t.Packets)); f.Passes > 0 {
			all = append(all, f)
		}
	}
	if len(all) == 0 {
		return p, false
	}
	return together(all), true
}

// together are several streams as one: that which lost most often, its ranks the means
// of all occasions.
func together(all []live.Packets) live.Packets {
	most := slices.MaxFunc(all, func(a, b live.Packets) int { return cmp.Compare(a.Occasions, b.Occasions) })
	if most.Occasions == 0 {
		return most
	}
	out := most
	out.Occasions, out.Waited, out.Filled, out.Unwaited, out.Before, out.Foreign = 0, 0, 0, 0, 0, 0
	for _, p := range all {
		n := float64(p.Occasions)
		out.Occasions += p.Occasions
		out.Waited += n * p.Waited
		out.Filled += n * p.Filled
		out.Unwaited += n * p.Unwaited
		out.Before += n * p.Before
		out.Foreign += n * p.Foreign
	}
	n := float64(out.Occasions)
	out.Waited, out.Filled, out.Unwaited, out.Before, out.Foreign = out.Waited/n, out.Filled/n, out.Unwaited/n, out.Before/n, out.Foreign/n
	return out
}

// LostTo is what takes this stream's packets, of a sender that answers to losses and
// where order is kept. Where the stream carries most of what the path lets through,
// nothing is asked.
func (v *View) LostTo() (LostTo, live.Packets) {
	p, read := v.Headers()
	if !read || p.Occasions < leastOccasions || v.Rate >= passesFull*p.Passes || v.Reordered() || !seen.LossBasedOrUnknown(v.CC) {
		return LostUnknown, p
	}
	return lostTo(p), p
}

func lostTo(p live.Packets) LostTo {
	stood := p.Before > max(leastWait, shortBefore*p.Least) && p.Before > p.Sway
	byChance := 0.5 + chanceSpan*0.5/math.Sqrt(float64(p.Occasions)) // the median of so many ranks
	switch {
	case stood && p.Foreign >= someForeign, stood && p.Waited >= max(byChance, fullerRank) && p.Filled <= anyRank:
		return LostToOthers
	case stood && p.Waited >= highRank && p.Filled >= highRank:
		return LostToItself
	case !stood && p.Waited <= anyRank && p.Filled <= highRank:
		return LostToChance
	}
	return LostUnknown
}
