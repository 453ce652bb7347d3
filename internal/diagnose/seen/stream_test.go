package seen

import (
	"math"
	"testing"

	"unchoke/internal/record"
	"unchoke/internal/wire"
)

// A gap of four tenths of a second in eight streams, after which what had waited comes at
// once, leaves the rate at what came while it lasted and since.
func TestReleasedIsNoRate(t *testing.T) {
	const rate, slices = 1.6e6, 40 // of 50 ms
	unshaped := math.Inf(1)
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
	if got := WithoutReleased(even, 0.03, unshaped); got != even {
		t.Errorf("a transfer without a gap has %g bit/s in place of %g", got.SteadyRate, even.SteadyRate)
	}
	if gapped.SteadyRate < 1.3*rate {
		t.Fatalf("its last half has %g bit/s", gapped.SteadyRate)
	}
	if got := WithoutReleased(gapped, 0.03, unshaped); got.SteadyRate < 0.99*rate || got.SteadyRate > 1.01*rate {
		t.Errorf("with a gap it has %g bit/s, of %g", got.SteadyRate, rate)
	}
	if got := WithoutReleased(gapped, 0.3, unshaped); got != gapped {
		t.Errorf("two round trips are a gap: %g bit/s", got.SteadyRate)
	}
	if got := WithoutReleased(even, 0.03, rate/2); got.SteadyRate != rate/2 || even.SteadyRate == rate/2 {
		t.Errorf("where half of the rate leaves the sender %g bit/s come", got.SteadyRate)
	}
}

// What leaves a host is known while its own shaper holds packets back, of what it sends
// alone, and by what kept it busiest: a stream that something else holds back leaves it idle.
func TestLeaves(t *testing.T) {
	shaped := func(d record.Direction, duration float64, bytes, held int64) record.Transfer {
		q := record.QdiscUse{Root: true, Overlimits: 9, Backlog: held, Bytes: bytes}
		return record.Transfer{Direction: d, Duration: duration, Egress: []record.QdiscUse{q}}
	}
	run := &record.Run{Transfers: []record.Transfer{
		shaped(record.Up, 0.3, 250_000, 3000), shaped(record.Up, 2, 500_000, 3000), shaped(record.Up, 3, 300_000, 3000), shaped(record.Up, 3, 900_000, 0),
		shaped(record.Down, 4, 700_000, 3000),
	}}
	if got, want := Leaves(run, record.Up), 2e6/wire.PerGoodput; math.Abs(got-want) > 1 {
		t.Errorf("up %g bit/s, want %g", got, want)
	}
	if got := Leaves(run, record.Down); !math.IsInf(got, 1) {
		t.Errorf("down %g bit/s", got)
	}
}
