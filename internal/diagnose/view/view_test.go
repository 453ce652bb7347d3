package view

import (
	"testing"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/record"
)

// A ladder that ended below the stream's own rate says nothing of what the path
// could carry beyond it.
func TestAlone(t *testing.T) {
	whole := func(rate float64) seen.Rung { return seen.Rung{Sent: rate, Delivered: rate, Packets: 100} }
	for name, c := range map[string]struct {
		view View
		want bool
	}{
		"nothing else":              {View{Rate: 2e6}, true},
		"slower than the stream":    {View{Rate: 2e6, Rungs: []seen.Rung{whole(1.2e6)}}, true},
		"far above it":              {View{Rate: 2e6, Rungs: []seen.Rung{whole(1.2e6), whole(3e6)}}, false},
		"the ceiling, hardly above": {View{Rate: 2e6, Rungs: []seen.Rung{whole(1.2e6), {Sent: 2.4e6, Delivered: 2e6, Packets: 100, Lost: 17}}}, false},
		"eight streams":             {View{Rate: 2e6, Eight: &record.Transfer{SteadyRate: 2e6}}, false},
	} {
		if got := c.view.Alone(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
