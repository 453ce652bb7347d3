package seen

import (
	"testing"

	"unchoke/internal/record"
)

// A gap of four tenths of a second in eight streams, after which what had waited comes at
// once, leaves the rate at what came while it lasted and since.
func TestReleasedIsNoRate(t *testing.T) {
	const rate, slices = 1.6e6, 40 // of 50 ms
	transfer := func(gap int) *record.Transfer {
		tr := &record.Transfer{Streams: 8, Duration: slices * 0.05, SteadyRate: rate}
		for i := range slices {
			bytes := int64(rate / 8 * 0.05)
			switch {
			case i >= 12 && i < 12+gap:
				bytes = 0
			case i >= 20 && i < 20+gap:
				bytes *= 2
			}
			tr.Intervals = append(tr.Intervals, record.Interval{At: 0.05 * float64(i+1), Bytes: bytes})
		}
		tr.SteadyRate = tr.Goodput(0.5, 1)
		return tr
	}
	even, gapped := transfer(0), transfer(8)
	if got := WithoutReleased(even, 0.03); got != even {
		t.Errorf("a transfer without a gap has %g bit/s in place of %g", got.SteadyRate, even.SteadyRate)
	}
	if gapped.SteadyRate < 1.3*rate {
		t.Fatalf("its last half has %g bit/s", gapped.SteadyRate)
	}
	if got := WithoutReleased(gapped, 0.03); got.SteadyRate < 0.99*rate || got.SteadyRate > 1.01*rate {
		t.Errorf("with a gap it has %g bit/s, of %g", got.SteadyRate, rate)
	}
	if got := WithoutReleased(gapped, 0.3); got != gapped {
		t.Errorf("two round trips are a gap: %g bit/s", got.SteadyRate)
	}
}
