package diagnose

import (
	"testing"

	"unchoke/internal/record"
)

// A bucket is used up where packets are dropped that had come through before, and
// none waits.
func TestEmptiedBucket(t *testing.T) {
	const file = "testdata/policed--a-bucket-of-megabytes.json.gz"
	for what, c := range map[string]struct {
		change func(*rung)
		want   bool
	}{
		"as it was":             {func(*rung) {}, true},
		"a queue stood":         {func(r *rung) { r.rise = 0.02 }, false},
		"the packets waited":    {func(r *rung) { r.own = 0.02 }, false},
		"nobody knows":          {func(r *rung) { r.risen = false }, false},
		"few were lost":         {func(r *rung) { r.lost = r.packets / 10 }, false},
		"nothing ran before it": {func(r *rung) { r.start = 0 }, false},
	} {
		v := newView(load(t, file), record.Down)
		for i := range v.rungs {
			if r := &v.rungs[i]; r.loss() > usedUp {
				c.change(r)
			}
		}
		if f := emptiedBucket(v); (f != nil) != c.want {
			t.Errorf("%s: %v", what, f)
		}
	}
}
