package rules

import (
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/record"
)

// A line whose rate changes holds a stream back where its queue is short. A long queue
// carries the stream over, and one that has the mean of both rates misses little.
func TestRateSteps(t *testing.T) {
	for what, c := range map[string]struct {
		change func(*view.View)
		want   bool
	}{
		"as it was": {func(*view.View) {}, true},
		"a queue three times as long": {func(v *view.View) {
			for i := range v.Rungs {
				v.Rungs[i].Rise *= 3
				v.Rungs[i].Own *= 3
			}
		}, false},
		"the mean of both rates": {func(v *view.View) { v.Rate *= 1.4 }, false},
		"it goes by rates":       {func(v *view.View) { v.CC = "bbr" }, false},
	} {
		v := view.Of(load(t, "testdata/shallow-buffer--a-line-of-two-rates-and-a-short-queue.json.gz"), record.Down)
		c.change(v)
		if f := RateSteps(v); (f != nil) != c.want {
			t.Errorf("%s: %+v", what, f)
		}
	}
}
