// Package draw draws lab paths as users have them, each with the list of what
// impairs it. Each impairment can be taken away alone, which gives another
// path; so what matters on a path can be measured, and nobody has to say it
// beforehand. Drawing is a pure function of a seed and a number.
package draw

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// Draw is a path with what can be taken away from it.
type Draw struct {
	Hand   Hand   `json:"hand,omitempty"` // empty: Links
	Seed   uint64 `json:"seed"`           // names the draw
	Index  int    `json:"index"`          // of the path in it
	Family string `json:"family"`
	Link   string `json:"link"` // the kind of access
	Scene  Scene  `json:"scene"`
	// Lab is the seed of the lab's own randomness.
	Lab         uint64       `json:"lab_seed"`
	Impairments []Impairment `json:"impairments"`
	// Clean is the path without any impairment.
	Clean Scene   `json:"clean"`
	RTT   float64 `json:"rtt_s"`
	// Capacity is the link-layer rate of the clean path's bottleneck, bit/s:
	// what no stream exceeds, whatever is taken away.
	Capacity map[Direction]float64 `json:"capacity_bps"`
	// Ceiling is the same for the path as it is.
	Ceiling map[Direction]float64 `json:"ceiling_bps"`
	// Scheduled says that the path changes at fixed times.
	Scheduled bool `json:"scheduled,omitempty"`
}

// Impairment is one thing that is wrong with a path.
type Impairment struct {
	Name       string      `json:"name"`       // a row of Words
	Directions []Direction `json:"directions"` // whose streams it can slow down
	// As is another row for directions in which it acts otherwise: on the
	// way back of the stream.
	As      map[Direction]string `json:"as,omitempty"`
	Without Scene                `json:"without"` // the path with this alone taken away
	// Alone is the path with this alone; empty where nothing else impairs it.
	Alone Scene `json:"alone,omitzero"`
	// Partly are scenes in which a part of it is taken away: which of them
	// helps tells the cause's word. Empty where there is only one.
	Partly []Part `json:"partly,omitempty"`
	// Together are scenes in which two parts of it are taken away: asked where none
	// of them helps alone, since each may hide the other.
	Together []Part `json:"together,omitempty"`
}

// In is the row of Words for a direction's streams.
func (x Impairment) In(way Direction) string {
	if as, ok := x.As[way]; ok {
		return as
	}
	return x.Name
}

// Part is a part of an impairment.
type Part struct {
	Name    string `json:"name"` // a row of Words
	Without Scene  `json:"without"`
	// Alone is the path with the impairment alone and this taken away from it;
	// empty where nothing else impairs the path.
	Alone Scene `json:"alone,omitzero"`
}

// Name is the file name of a path's results, without an ending.
func (d Draw) Name() string {
	name := fmt.Sprintf("%d-%04d", d.Seed, d.Index)
	if d.Hand != "" {
		name = string(d.Hand) + "-" + name
	}
	return name
}

// Slowing are the impairments that can slow a direction's streams down.
func (d Draw) Slowing(way Direction) []Impairment {
	var out []Impairment
	for _, x := range d.Impairments {
		if slices.Contains(x.Directions, way) {
			out = append(out, x)
		}
	}
	return out
}

// New draws the path of an index of the hand Links. A family that does not suit the link drawn
// is asked again; a path with two impairments takes the second one from
// another family, on the first one's link.
func New(seed uint64, index int, double bool) Draw {
	r := rand.New(rand.NewPCG(seed, uint64(index)))
	for {
		f := drawFamily(r)
		l := drawLink(r, f.links...)
		first, ok := f.impair(r, &l)
		if !ok {
			continue
		}
		d := Draw{Seed: seed, Index: index, Family: f.name, Link: l.kind}
		impairments := first
		if double {
			g := drawFamily(r)
			second, ok := g.impair(r, &l)
			if !ok || len(first) == 0 || len(second) == 0 || shareSlot(f, g) {
				continue
			}
			d.Family = f.name + "+" + g.name
			impairments = append(impairments, second...)
		}
		d.Lab = 1 + r.Uint64()%1_000_000
		d.compose(l, l.apply, impairments)
		return d
	}
}

// compose writes the path and, for each impairment, the path without it. clean writes
// the link without any.
func (d *Draw) compose(l link, clean func(*builder), impairments []impairment) {
	d.Capacity = map[Direction]float64{Up: l.up, Down: l.down}
	d.Ceiling = map[Direction]float64{Up: l.up, Down: l.down}
	d.RTT = l.rtt
	// with is the path with the impairments that are kept, one of them replaced by
	// what is left of it.
	with := func(kept func(int) bool, replace int, by func(*builder)) Scene {
		b := newBuilder()
		clean(b)
		for i, x := range impairments {
			if x.wire != nil && i != replace && kept(i) {
				x.wire(b)
			}
		}
		for i, x := range impairments {
			switch {
			case i == replace && by != nil:
				by(b)
			case i != replace && kept(i):
				x.apply(b)
			}
		}
		return b.scene()
	}
	all := func(int) bool { return true }
	d.Scene = with(all, -1, nil)
	alone := newBuilder()
	clean(alone)
	d.Clean = alone.scene()
	for i, x := range impairments {
		out := Impairment{Name: x.name, Directions: x.slows, As: x.as, Without: with(all, i, nil)}
		alone := func(k int) bool { return k == i }
		if len(impairments) > 1 {
			out.Alone = with(alone, -1, nil)
		}
		scenes := func(of []part) (out []Part) {
			for _, p := range of {
				part := Part{Name: p.name, Without: with(all, i, p.apply)}
				if len(impairments) > 1 {
					part.Alone = with(alone, i, p.apply)
				}
				out = append(out, part)
			}
			return out
		}
		out.Partly, out.Together = scenes(x.parts), scenes(x.together)
		d.Impairments = append(d.Impairments, out)
		d.Scheduled = d.Scheduled || x.scheduled
		maps.Copy(d.Ceiling, x.ceiling)
	}
}
