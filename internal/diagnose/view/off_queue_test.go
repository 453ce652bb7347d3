package view

import (
	"testing"

	"unchoke/internal/record"
)

// What follows within a round trip is of the same loss.
func TestLossTimes(t *testing.T) {
	for name, dir := range map[string]record.Direction{
		"loss-limited--bursts-that-a-long-queue-outlasts": record.Up,   // by what the sender resent
		"loss-limited--bursts-on-the-ocean":               record.Down, // by what came out of order
	} {
		v := Of(load(t, "testdata/"+name+".json.gz"), dir)
		all := v.lossTimes()
		if len(all) != 3 {
			t.Errorf("%s: %.2f", name, all)
		}
		for i := 1; i < len(all); i++ {
			if all[i]-all[i-1] < v.Idle.Mid {
				t.Errorf("%s: %.2f within a round trip", name, all)
			}
		}
	}
}
