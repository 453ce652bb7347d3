//go:build !slim

package view

import (
	"math"
	"testing"

	"unchoke/internal/diagnose/diagnosetest"
	"unchoke/internal/flow"
	"unchoke/internal/record"
)

// The kernel's own account of a sender's repairs, and what is told of a far one's, agree on
// whether a stream spends its time on them.
func TestRepairs(t *testing.T) {
	for _, c := range []struct {
		file        string
		dir         record.Direction
		least, most float64
		last        bool
	}{
		{"no-sack--what-slow-start-overflowed-at-92-ms", record.Up, 0.5, 0.8, true},
		{"no-sack--where-the-far-host-sends", record.Down, 0.7, 1, true},
		{"several/receive-window+no-sack--repairs-when-it-ends", record.Up, 0.2, 0.3, true},
		{"healthy--without-sack-filled-between-repairs", record.Up, 0.3, 0.6, false},
		{"healthy--without-sack-filled-between-repairs", record.Down, 0, 0.1, false},
		{"shallow-buffer--a-few-packets-before-jitter", record.Up, 0, 0, false}, // with selective acknowledgements
	} {
		v := Of(diagnosetest.Load(t, "../testdata/"+c.file+".json.gz"), c.dir)
		if r := v.Repairs(); r.Share < c.least || r.Share > c.most || r.Last != c.last {
			t.Errorf("%s, %s: %+v, want a share of %g to %g, %t at the end", c.file, c.dir, r, c.least, c.most, c.last)
		}
	}
}

// A sender that tells is believed, and without its account about the same comes of what it
// resent.
func TestRepairsWithoutTheSender(t *testing.T) {
	v := Of(diagnosetest.Load(t, "../testdata/no-sack--what-slow-start-overflowed-at-92-ms.json.gz"), record.Up)
	told := v.Repairs()
	if told.Times != 1 || told.Rate > v.Capacity/10 {
		t.Errorf("by the sender's account: %+v", told)
	}
	for i := range v.One.Series {
		v.One.Series[i].Sender = false
		if !flow.NoSACK(v.One.Series[i]) {
			t.Error("the stream has selective acknowledgements")
		}
	}
	untold := v.Repairs()
	if untold.Times != 0 || math.Abs(untold.Share-told.Share) > 0.15 {
		t.Errorf("without it: %+v, with it %+v", untold, told)
	}
}
