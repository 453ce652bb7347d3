//go:build !slim

package view

import (
	"testing"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/record"
)

// Eight streams that carry just what one does, and lose packets while none waits, end at a
// policer. Where they carry more, or a queue stands, or hardly any is lost, they do not.
func TestOneLimit(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*View)
		want   bool
	}{
		"as it was":                       {func(*View) {}, true},
		"eight carry a quarter more":      {func(v *View) { v.Eight.SteadyRate *= 1.25 }, false},
		"a queue stands beside them":      {func(v *View) { v.Busier.Mid += 2 * leastWait }, false},
		"they lost next to nothing":       {func(v *View) { v.Eight.Retransmits = manyLost - 1 }, false},
		"one has most of the path":        {func(v *View) { v.Capacity = 1.3 * v.Rate }, false},
		"nobody ran eight streams at all": {func(v *View) { v.Eight = nil }, false},
		"a flood ends at the limit too":   {func(v *View) { v.Rungs = append(v.Rungs, floods(v.Eight.SteadyRate, 1)...) }, true},
		"a flood outruns an empty bucket": {func(v *View) { v.Rungs = append(v.Rungs, floods(v.Eight.SteadyRate, 1.5)...) }, false},
	} {
		v := Of(load(t, "testdata/policed--eight-streams-carry-just-what-one-does.json.gz"), record.Down)
		c.change(v)
		if got := v.OneLimit(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if _, held := v.LossHolds(); held && c.want {
			t.Errorf("%s: what a policer drops is taken for random loss", name)
		}
	}
}

// floods are one that empties a policer's bucket, and one just after it that brings so
// many times its rate through.
func floods(limit, times float64) []seen.Rung {
	return []seen.Rung{
		{Start: 100, Duration: 0.3, Sent: 2 * limit, Packets: 1000, Lost: 100},
		{Start: 100.3, Duration: 0.3, Sent: 4 * limit, Packets: 2000, Lost: 1000, Arrived: times * limit * 0.3},
	}
}
