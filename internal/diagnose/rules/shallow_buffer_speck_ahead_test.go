//go:build !slim

package rules

import (
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// A queue of five packets that a young stream has not met since its start makes its health
// unsure, and is the cause where eight streams do not fill the path either.
func TestSpeckAhead(t *testing.T) {
	const file = "testdata/shallow-buffer--five-packets-that-a-young-stream-has-not-met.json.gz"
	for name, c := range map[string]struct {
		change func(*view.View)
		cause  finding.Cause
		most   float64
	}{
		"as it was":                       {func(*view.View) {}, finding.ShallowBuffer, speckAheadSure},
		"eight streams fill the path":     {func(v *view.View) { v.Eight.SteadyRate = v.Capacity }, finding.Healthy, speckAheadMost},
		"it met the queue":                {func(v *view.View) { v.Losses.Steady = 5 }, finding.Healthy, 1},
		"BBR does not overflow it at all": {func(v *view.View) { v.CC = "bbr" }, finding.Healthy, 1},
	} {
		v := view.Of(load(t, file), record.Down)
		eight := *v.Eight
		v.Eight = &eight
		c.change(v)
		sure := 0.95
		here := SpeckAhead(v, []finding.Finding{{Cause: finding.Healthy, Confidence: sure}})
		if len(here) != 1 || here[0].Cause != c.cause || here[0].Confidence != min(sure, c.most) {
			t.Errorf("%s: %+v", name, here)
		}
	}
}
