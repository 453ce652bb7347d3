//go:build !slim

package view

import (
	"math"
	"testing"

	"unchoke/internal/record"
)

// Stock iperf3 carries 21 to 24 Mbit/s there for 30 s, of 48. Upward, where the path has
// less, losses as rare leave enough.
func TestLosesInLeaps(t *testing.T) {
	const file = "testdata/loss-limited--handovers-that-a-deep-queue-hides.json.gz"
	v := Of(load(t, file), record.Down)
	l, found := v.LosesInLeaps()
	if !found || l.N != 2 || math.Abs(l.Every-4.1) > 0.1 || l.Lasting < 20e6 || l.Lasting > 30e6 {
		t.Fatalf("%+v, %v", l, found)
	}
	up := Of(load(t, file), record.Up)
	if l, found := up.LosesInLeaps(); !found || l.Lasting < up.Capacity {
		t.Errorf("upward: %+v of %v", l, up.Capacity)
	}
	for name, change := range map[string]func(*View){
		"BBR sends":       func(v *View) { v.CC = "bbr" },
		"nothing is lost": func(v *View) { v.One.Series = nil },
		"its delay varies without leaps": func(v *View) {
			for i := range v.Run.Echo("idle").Probes {
				v.Run.Echo("idle").Probes[i].RTT += 0.02 * float64(i%2)
			}
		},
		"nobody looked at the idle path": func(v *View) { v.Run.Echo("idle").Probes = nil },
	} {
		v := Of(load(t, file), record.Down)
		change(v)
		if l, found := v.LosesInLeaps(); found {
			t.Errorf("%s: %+v", name, l)
		}
	}
}
