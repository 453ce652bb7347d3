//go:build !slim

package view

import (
	"testing"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/record"
)

// Of what this host sends, three quarters of the path that pass at once tell that others
// stand on the way back; what takes some round trips, or loses packets, does not.
func TestOthersBehindWhatPasses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(v *View, r *seen.Rung)
		behind bool
	}{
		"as it was":           {func(*View, *seen.Rung) {}, true},
		"most of it for long": {func(v *View, r *seen.Rung) { r.Duration = 5 * v.Idle.Mid }, false},
		"all of it for long": {func(v *View, r *seen.Rung) {
			r.Duration, r.Sent, r.Delivered = 5*v.Idle.Mid, 0.95*v.Capacity, 0.93*v.Capacity
		}, true},
		"less of it":         {func(v *View, r *seen.Rung) { r.Sent = 0.6 * v.Capacity }, false},
		"some of it is lost": {func(_ *View, r *seen.Rung) { r.Lost = r.Packets / 50 }, false},
	} {
		v := Of(load(t, "testdata/several/congested+loss-limited--others-on-the-way-back-and-loss.json.gz"), record.Up)
		v.each(func(_ int, r *seen.Rung) {
			if share := r.Sent / v.Capacity; share > 0.7 && share < 1 {
				c.change(v, r)
			}
		})
		lost := v.LostBeforeOthers()
		if v.OthersBehind() != c.behind || (lost.K > 0) != c.behind {
			t.Errorf("%s: behind %v, lost %v", name, v.OthersBehind(), lost)
		}
	}
}

// Packets on the way back that waited for all of what the RTT falls by when others give way
// tell that these stand there; for a part of it, others may stand on both ways.
func TestOthersDrainOnWayBack(t *testing.T) {
	const file = "testdata/several/congested+policed--others-on-the-way-back-by-its-packets-wait.json.gz"
	v := Of(load(t, file), record.Up)
	if _, policed := v.Policer(); !v.drainsOnWayBack() || !v.OthersBehind() || !policed {
		t.Fatal(v)
	}
	v.Loaded.Mid += 0.1 * (v.Idle.High - v.LeastSeen())
	if v.drainsOnWayBack() {
		t.Error("our stream finds a queue on this way")
	}
	v.Loaded.Mid = v.Idle.Mid
	v.Idle.High += 0.1 * (v.Idle.High - v.LeastSeen())
	if v.drainsOnWayBack() {
		t.Error("the RTT falls by more")
	}
	// As of jitter, whose span the packets of one rung have as well.
	jitters := Of(load(t, file), record.Up)
	jitters.Idle.N = 10 // too few to tell that the RTT falls
	if jitters.drainsOnWayBack() {
		t.Error("nobody knows that the RTT falls")
	}
	const varies = "testdata/congested--jitter-back-that-waits-as-long.json.gz"
	if v := Of(load(t, varies), record.Up); !v.Jittery() || v.drainsOnWayBack() {
		t.Error("a delay that varies lets packets wait for as long")
	}
	if back := Of(load(t, file), record.Down); back.drainsOnWayBack() {
		t.Error("where they stand")
	}
}
