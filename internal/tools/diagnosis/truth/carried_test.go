package truth

import (
	"slices"
	"testing"

	"unchoke/internal/tools/diagnosis/draw"
)

// Two runs that fill a path are enough, but where it changes with time: there all three
// count, each from another instant on.
func TestCarriedMeetsAScheduleAtSeveralInstants(t *testing.T) {
	for name, c := range map[string]struct {
		rate      float64
		scheduled bool
		waits     []float64
	}{
		"full":            {96e6, false, []float64{0, 0}},
		"not full":        {40e6, false, []float64{0, 0, 0}},
		"full, scheduled": {96e6, true, []float64{0, instantStep, 2 * instantStep}},
	} {
		n := &network{rates: []rule{{"base", c.rate}}}
		d := drawn()
		d.Scheduled = c.scheduled
		runs, err := Carried(t.Context(), n, d, draw.Up, "bbr")
		if err != nil {
			t.Fatal(err)
		}
		if Rate(runs) != c.rate || !slices.Equal(n.waits, c.waits) {
			t.Errorf("%s: %.0f bit/s, began after %v s", name, Rate(runs), n.waits)
		}
	}
}
