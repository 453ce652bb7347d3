//go:build !slim

package rules

import (
	"testing"

	"unchoke/internal/diagnose/diagnosetest"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/record"
)

// A queue that others keep full, and that is short, is too short for a stream that has next
// to nothing and loses a lot of it.
func TestKeptShort(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*view.View)
		want   bool
	}{
		"as it was":               {func(*view.View) {}, true},
		"it has half of the path": {func(v *view.View) { v.Rate = v.Capacity / 2 }, false},
		"it loses little":         {func(v *view.View) { v.Losses.Real = v.Losses.Segments / 100 }, false},
		"no rung overloads":       {func(v *view.View) { v.Rungs = nil }, false},
		"the queue is longer": {func(v *view.View) {
			for i := range v.Rungs {
				v.Rungs[i].Spread.Mid *= 1.1
			}
		}, false},
	} {
		v := view.Of(diagnosetest.Load(t, "../testdata/several/congested+shallow-buffer--queue-kept-full-a-seventh-of-the-rtt.json.gz"), record.Up)
		c.change(v)
		if wait, found := keptShort(v); found != c.want {
			t.Errorf("%s: %v s", name, wait)
		}
	}
}
