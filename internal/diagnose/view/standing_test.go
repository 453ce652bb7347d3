package view

import (
	"testing"

	"unchoke/internal/record"
)

// Where eight streams and UDP above the ceiling had a third of what one stream had, the
// path's rate changes, and so does its queue; eight streams alone say so of their own.
func TestHalves(t *testing.T) {
	v := Of(load(t, "testdata/healthy--eight-streams-queue-in-a-tunnel.json.gz"), record.Down)
	if v.Halves(v.One.Name) || v.Halves(v.Eight.Name) {
		t.Fatal(v)
	}
	v.Eight.SteadyRate /= 3
	if v.Halves(v.One.Name) || !v.Halves(v.Eight.Name) {
		t.Error("eight streams had a third")
	}
	v.Rate *= 3
	if !v.Halves(v.One.Name) {
		t.Error("UDP had a third as well")
	}
}

// What the path's own delay adds beside a rung that it carries is no queue of the
// rungs above. A stream that loses packets all along does not fill the queue that UDP did.
func TestShift(t *testing.T) {
	v := Of(load(t, "testdata/loss-limited--handovers-that-shift-the-delay.json.gz"), record.Up)
	v.Losses.Steady = 0
	if s := v.shift(); s < 0.16 || s > 0.17 || stands(v) {
		t.Errorf("the delay shifted by %v, a queue stands: %v", s, stands(v))
	}
	for i := range v.Rungs {
		if !v.Rungs[i].Overloaded(v.Rungs) {
			v.Rungs[i].Rise = 0
		}
	}
	if !stands(v) {
		t.Error("a queue of 220 ms above the ceiling alone is no bufferbloat")
	}
	v.Losses.Steady = 3
	if stands(v) {
		t.Error("bufferbloat, although the stream loses before the queue is full")
	}
}

// The ten packets that each of eight streams begins with take a slow line longer than
// counts as bufferbloat, and no queue manages that away so soon. Nor is it a queue this
// way that holds more than UDP overflowed it with.
func TestPacketsOfEight(t *testing.T) {
	v := Of(load(t, "testdata/unsure/eight-streams-on-a-slow-line.json.gz"), record.Up)
	if !bloated(v.Idle, v.Busier) || stands(v) {
		t.Fatal(v, v.Busier)
	}
	v.Busier.Mid = v.Idle.Mid + 90*v.few()/2
	for i := range v.Rungs {
		v.Rungs[i].Spread.Mid = v.Busier.Mid
	}
	if !stands(v) {
		t.Error("a queue of 90 packets is none")
	}
	for i := range v.Rungs {
		v.Rungs[i].Spread.Mid = v.Busier.Mid / 2
	}
	if v.FullQueue() == 0 || stands(v) {
		t.Error("a queue of twice the packets that UDP overflowed it with")
	}
}

// stands says that a long queue stands at the bottleneck.
func stands(v *View) bool {
	_, _, _, found := v.Standing()
	return found
}
