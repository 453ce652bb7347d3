//go:build !slim

package view

import (
	"testing"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/record"
)

// Eight streams keep a queue full and have no more than one, and UDP has more: others do not
// give way. What else keeps eight streams from the rest tells of none.
func TestLeftAlike(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*View)
		want   bool
	}{
		"as it was":                  {func(*View) {}, true},
		"eight have what UDP has":    {func(v *View) { v.Eight.SteadyRate = v.Capacity / 1.05 }, false},
		"eight have more than one":   {func(v *View) { v.Rate /= 1.2 }, false},
		"they keep half of a queue":  {func(v *View) { v.Busier.Mid -= (v.Busier.Mid - v.Idle.Mid) / 2 }, false},
		"BBR leaves some":            {func(v *View) { v.CC = "bbr" }, false},
		"packets are lost by chance": {func(v *View) { v.Base.K = 1 }, false},
		"the path was out":           {func(v *View) { v.Out.All = []seen.Outage{{At: 3, Duration: 1}} }, false},
		"eight were not measured":    {func(v *View) { v.Eight = nil }, false},
	} {
		v := Of(load(t, "testdata/congested--eight-as-slow-as-one-beside-one-rate.json.gz"), record.Up)
		eight := *v.Eight
		v.Eight = &eight
		c.change(v)
		if got := v.leftAlike(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
