//go:build !slim

package view

import (
	"testing"

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
