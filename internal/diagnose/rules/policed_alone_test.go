package rules

import (
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// What trains say of a path of which one stream is all that was measured rests on
// what did not happen as well.
func TestTrainsAreNotEnough(t *testing.T) {
	const satellite = "testdata/policed--both-ways-by-satellite.json.gz"
	for what, c := range map[string]struct {
		change func(*view.View)
		want   bool
	}{
		"as it was":                 {func(*view.View) {}, true},
		"others waited":             {func(v *view.View) { wait(v.Run.Echo(v.One.Name), 0.1) }, false},
		"lost without load as well": {func(v *view.View) { lose(v.Run.Echo("idle"), 10) }, false},
		"lost before the stream":    {func(v *view.View) { lose(v.Run.Echo(v.One.Name), 10) }, false},
		"lost little":               {func(v *view.View) { v.Losses.Real = v.Losses.Segments / 50 }, false},
	} {
		v := view.Of(load(t, satellite), record.Down)
		c.change(v)
		if f := PolicedAlone(v); (f != nil) != c.want {
			t.Errorf("%s: %v", what, f)
		}
	}
	v := view.Of(load(t, "testdata/healthy--trains-by-satellite.json.gz"), record.Down)
	if !v.FillsTrains(v.TrainRate()) {
		t.Errorf("%.3g bit/s of trains of %.3g do not fill the path", v.Rate, v.TrainRate())
	}
	v.Rate *= 0.7
	if f := Healthy(v); f.Cause != finding.SlowStart {
		t.Errorf("a stream with 0.7 of what its trains have: %s", f.Cause)
	}
}

func wait(e *record.Echo, seconds float64) {
	for i := range e.Probes {
		if e.Probes[i].RTT > 0 && i%10 == 0 {
			e.Probes[i].RTT += seconds
		}
	}
}

func lose(e *record.Echo, n int) {
	for i := range e.Probes[:n] {
		e.Probes[i].RTT = 0
	}
}
