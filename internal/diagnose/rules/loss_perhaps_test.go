package rules

import (
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// What vanishes beside nothing, as often as leaves a stream what it has, is a guess at
// random loss. A queue that the stream comes near may have dropped it, and so may what
// drops a twentieth.
func TestLostPerhaps(t *testing.T) {
	load := func() *view.View {
		return view.Of(load(t, "testdata/loss-limited--bursts-met-once-at-278-ms.json.gz"), record.Down)
	}
	v := load()
	if v.LossEvents() != 1 || lostPerhaps(v) == nil {
		t.Fatal(v.LossEvents(), "losses")
	}
	if f := Healthy(v); f.Cause != finding.LossLimited || f.Confidence != lostPerhapsSure {
		t.Fatalf("%s, %.2f sure", f.Cause, f.Confidence)
	}
	for what, change := range map[string]func(*view.View){
		"near the full queue":          func(v *view.View) { v.Loaded.High = v.Longest() },
		"a tail":                       func(v *view.View) { v.Losses.Steady = leastLost - 1 },
		"much":                         func(v *view.View) { v.Losses.Real = v.Losses.Segments / 10 },
		"more rate than such losses":   func(v *view.View) { v.Rate *= 5 },
		"less rate than such losses":   func(v *view.View) { v.Rate /= 5 },
		"a sender that does not mind":  func(v *view.View) { v.CC = "bbr" },
		"one stream is all there is":   func(v *view.View) { v.Rungs, v.Eight = nil, nil },
		"packets that were overtaken":  func(v *view.View) { v.Strays.K, v.Strays.N, v.Losses.ReordSeen = 100, 1000, 100 },
		"nothing holds it but its end": func(v *view.View) { v.Limits.Network = 0 },
	} {
		v := load()
		change(v)
		if lostPerhaps(v) != nil {
			t.Error(what)
		}
	}
}
