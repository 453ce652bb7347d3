//go:build !slim

package rules

import (
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// Others show behind a window that holds one stream where eight fill the queue and UDP
// carries clearly more than they.
func TestCrowdedToo(t *testing.T) {
	held := []finding.Finding{{Cause: finding.SendBuffer}}
	for name, c := range map[string]struct {
		change func(*view.View)
		found  []finding.Finding
		want   bool
	}{
		"as it was":                     {func(*view.View) {}, held, true},
		"no window holds the stream":    {func(*view.View) {}, nil, false},
		"eight leave the queue empty":   {func(v *view.View) { v.Busier.Mid = v.Idle.Mid }, held, false},
		"eight carry what UDP does":     {func(v *view.View) { v.Capacity = v.Eight.SteadyRate }, held, false},
		"gentle UDP was lost":           {func(v *view.View) { v.Base.K = 3 }, held, false},
		"others were found by the rule": {func(*view.View) {}, []finding.Finding{held[0], {Cause: finding.Congested}}, false},
	} {
		v := view.Of(load(t, "testdata/several/send-buffer+congested--eight-fill-a-queue-beside-others.json.gz"), record.Up)
		c.change(v)
		if f := CrowdedToo(v, c.found); (f != nil) != c.want {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
