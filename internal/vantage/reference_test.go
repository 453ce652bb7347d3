package vantage

import (
	"testing"

	"unchoke/internal/diagnose"
)

// A place whose sender does not take a loss for congestion tells by its rate of no loss.
func TestLossByRate(t *testing.T) {
	r := reference{size: 0.01}
	for cc, want := range map[string]tells{"cubic": clean, "": clean, "bbr": silent, "bbr3": silent} {
		v := &view{seen: Seen{RTT: Figure{Median: 0.05}}}
		w := &way{figures: []diagnose.Figures{{CC: cc, MSS: 1448}}, rate: Figure{Median: 100e6}}
		if got := r.askLoss(v, w); got != want {
			t.Errorf("%q: %v, want %v", cc, got, want)
		}
	}
}
