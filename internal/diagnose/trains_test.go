package diagnose

import (
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// What trains say of a path of which one stream is all that was measured rests on
// what did not happen as well.
func TestTrainsAreNotEnough(t *testing.T) {
	const satellite = "testdata/policed--both-ways-by-satellite.json.gz"
	for what, c := range map[string]struct {
		change func(*view)
		want   bool
	}{
		"as it was":                 {func(*view) {}, true},
		"others waited":             {func(v *view) { wait(v.run.Echo(v.one.Name), 0.1) }, false},
		"lost without load as well": {func(v *view) { lose(v.run.Echo("idle"), 10) }, false},
		"lost before the stream":    {func(v *view) { lose(v.run.Echo(v.one.Name), 10) }, false},
		"lost little":               {func(v *view) { v.losses.Real = v.losses.Segments / 50 }, false},
	} {
		v := newView(load(t, satellite), record.Down)
		c.change(v)
		if f := policedAlone(v); (f != nil) != c.want {
			t.Errorf("%s: %v", what, f)
		}
	}
	v := newView(load(t, "testdata/healthy--trains-by-satellite.json.gz"), record.Down)
	if !v.fillsTrains(v.trainRate()) {
		t.Errorf("%.3g bit/s of trains of %.3g do not fill the path", v.rate, v.trainRate())
	}
	v.rate *= 0.7
	if f := healthy(v); f.Cause != finding.Unclear {
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
