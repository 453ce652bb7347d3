package diagnose

import (
	"testing"

	"unchoke/internal/record"
)

// A ladder that ended below the stream's own rate says nothing of what the path
// could carry beyond it.
func TestAlone(t *testing.T) {
	whole := func(rate float64) rung { return rung{sent: rate, delivered: rate, packets: 100} }
	for name, c := range map[string]struct {
		view view
		want bool
	}{
		"nothing else":              {view{rate: 2e6}, true},
		"slower than the stream":    {view{rate: 2e6, rungs: []rung{whole(1.2e6)}}, true},
		"far above it":              {view{rate: 2e6, rungs: []rung{whole(1.2e6), whole(3e6)}}, false},
		"the ceiling, hardly above": {view{rate: 2e6, rungs: []rung{whole(1.2e6), {sent: 2.4e6, delivered: 2e6, packets: 100, lost: 17}}}, false},
		"eight streams":             {view{rate: 2e6, eight: &record.Transfer{SteadyRate: 2e6}}, false},
	} {
		if got := c.view.alone(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
