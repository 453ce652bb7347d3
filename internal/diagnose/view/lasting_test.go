//go:build !slim

package view

import (
	"testing"

	"unchoke/internal/record"
)

// Eight streams tell what of a limit lasts, unless losses keep them far below it.
func TestLasting(t *testing.T) {
	v := &View{Run: &record.Run{}, MSS: 1448}
	if got := v.Lasting(50e6); got != 50e6 {
		t.Errorf("without eight streams: %g", got)
	}
	for eight, want := range map[float64]float64{45e6: v.OnWire(45e6), 30e6: 50e6, 49.9e6: 50e6} {
		v.Eight = &record.Transfer{SteadyRate: eight}
		if got := v.Lasting(50e6); got != want {
			t.Errorf("eight streams carry %g: %g, want %g", eight, got, want)
		}
	}
}
