package rules

import (
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// A test of few round trips through space is mostly the stream's start. One of many is
// not, nor is one whose direction was measured by more than the stream.
func TestBegun(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(*view.View)
		found  bool
	}{
		{"as it was", func(*view.View) {}, true},
		{"many round trips", func(v *view.View) { v.Idle.Mid /= 4 }, false},
		{"eight streams carried as much", func(v *view.View) { v.Eight = v.One }, false},
		{"a queue that it keeps standing", func(v *view.View) { v.Loaded.Mid = 1.5 * v.Idle.Mid; v.Rate = v.Once() }, false},
	} {
		v := view.Of(load(t, "testdata/slow-start--twelve-round-trips-through-space.json.gz"), record.Down)
		c.change(v)
		if f := Healthy(v); (f.Cause == finding.SlowStart) != c.found {
			t.Errorf("%s: %+v", c.what, f)
		}
	}
}
