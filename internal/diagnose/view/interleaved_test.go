//go:build !slim

package view

import (
	"testing"

	"unchoke/internal/record"
)

// Behind an AQM that gives each host its share, others show by their packets between ours;
// not where that is all that was seen, and the path was never overloaded.
func TestInterleaved(t *testing.T) {
	const file = "testdata/congested--behind-cake-by-its-slots.json.gz"
	v := Of(load(t, file), record.Down)
	line, found := v.interleaved()
	if !found || line < 29e6 || line > 31.4e6 {
		t.Errorf("a line of 31.4 Mbit/s with headers: %.3g bit/s, %v", line, found)
	}
	if o, _ := v.Others(); o.By != ByInterleaving || o.Most != line {
		t.Errorf("%+v", o)
	}
	if rate, left := v.Line(); rate != line || left < 0.4 {
		t.Errorf("one stream leaves %.2f of %.3g bit/s", left, rate)
	}
	v = Of(load(t, file), record.Down)
	v.One.Packets = nil // as without root
	for i := range v.Rungs {
		if r := &v.Rungs[i]; r.Overloaded(v.Rungs) {
			r.Slots = &record.Slots{Length: 386e-6, Next: 0.4, Later: 0.6}
		}
	}
	if line, found := v.interleaved(); !found || line < 29e6 || line > 31.4e6 {
		t.Errorf("by the packets of a flood: a line of %.3g bit/s, %v", line, found)
	}
	for name, change := range map[string]func(*View){
		"the path was never overloaded":  func(v *View) { v.Rungs = nil },
		"one stream gets what there is":  func(v *View) { v.Capacity = line },
		"it is not this host's to see":   func(v *View) { v.Dir = record.Up },
		"nobody read its packets":        func(v *View) { v.One.Packets = nil },
		"few came next to another one":   func(v *View) { double(v.One.Packets) },
		"they came at any time, in part": func(v *View) { spread(v.One.Packets) },
	} {
		v := Of(load(t, file), record.Down)
		change(v)
		if line, found := v.interleaved(); found {
			t.Errorf("%s: a line of %.3g bit/s", name, line)
		}
	}
}

// double makes every gap of a slot one of two.
func double(p *record.Packets) {
	for i, gap := range p.Gap {
		if gap < 500 {
			p.Gap[i] = 2 * gap
		}
	}
}

// spread moves a tenth of the packets off the slots.
func spread(p *record.Packets) {
	for i := range p.Gap {
		if i%10 == 0 {
			p.Gap[i] += 180
		}
	}
}
