package draw

import (
	"math/rand/v2"
	"reflect"
	"slices"
)

// place is where a user is: the line there, its hosts, and what goes wrong.
type place struct {
	name string
	kind string                // of the line
	link func(*rand.Rand) link // ms and Mbit/s, as tariffs are told
	// troubles are in the order in which they apply: what varies the delay
	// before what sets the queue, whose word is the last.
	troubles []trouble
}

// trouble is one thing that goes wrong at a place.
type trouble struct {
	slots  []string // two that share one exclude each other
	impair func(*rand.Rand, *link) ([]impairment, bool)
}

// Of a place's paths one in five has nothing wrong with it, and one in four has
// two things. Not everything that is wrong slows a stream down: about a third
// turn out healthy.
const (
	nothingWrong = 0.20
	twoWrong     = 0.25
)

// newAtPlace draws a path of the hand Places. All places are equally likely.
// Troubles that do not suit the line drawn are drawn again with it.
func newAtPlace(seed uint64, index int, double bool) Draw {
	r := rand.New(rand.NewPCG(seed, uint64(index)))
	for {
		p := pick(r, places...)
		l := p.line(r)
		wrong, ok := p.goesWrong(r, &l, howMany(r, double, twoWrong, nothingWrong))
		if !ok {
			continue
		}
		d := Draw{Hand: Places, Seed: seed, Index: index, Family: p.name, Link: l.kind, Lab: 1 + r.Uint64()%1_000_000}
		d.compose(l, l.apply, wrong)
		d.leaveOutVoidParts()
		return d
	}
}

// line is the place's link in SI units, with a queue that suits it: around what
// CUBIC needs to fill the line, and never so long that it is a fault itself.
func (p place) line(r *rand.Rand) link {
	l := p.link(r).inSI(p.kind)
	if l.queue == 0 {
		l.queue = min(max(l.rtt*between(r, 0.6, 1.4), 0.012), 0.09)
	}
	return l
}

// goesWrong draws so many troubles that do not exclude each other.
func (p place) goesWrong(r *rand.Rand, l *link, n int) ([]impairment, bool) {
	chosen := r.Perm(len(p.troubles))[:n]
	slices.Sort(chosen)
	var out []impairment
	taken := map[string]bool{}
	for _, i := range chosen {
		t := p.troubles[i]
		for _, s := range t.slots {
			if taken[s] {
				return nil, false
			}
			taken[s] = true
		}
		x, ok := t.impair(r, l)
		if !ok {
			return nil, false
		}
		out = append(out, x...)
	}
	return out, true
}

// leaveOutVoidParts: beside a queue that is set anyway a part that sets one
// takes nothing away.
func (d *Draw) leaveOutVoidParts() {
	for i := range d.Impairments {
		x := &d.Impairments[i]
		x.Partly = slices.DeleteFunc(x.Partly, func(p Part) bool { return reflect.DeepEqual(p.Without, d.Scene) })
	}
}
