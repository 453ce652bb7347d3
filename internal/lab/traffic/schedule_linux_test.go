package traffic

import (
	"context"
	"slices"
	"testing"
	"time"

	"unchoke/internal/lab/labtest"
	"unchoke/internal/unit"
)

// A run over a path that changes carries the same every time, and over one that
// is as in TestPlaceInBatch otherwise, wherever it stands in its batch.
func TestScheduleIsDeterministic(t *testing.T) {
	labtest.NeedKernel(t)
	spec := article(10 * mebibyte)
	spec.Duration = 4 * time.Second
	moved := Run{
		Path: mustPath(t, "rtt=50ms,jitter=8ms,order=free,loss=0.1%,schedule=every 1s for 200ms rtt=+50ms loss=1%"),
		Seed: 7, Spec: spec, CC: "bbr",
	}
	everything := moved
	everything.Path = mustPath(t, "rtt=27ms,jitter=7ms,loss=0.1%,rate=100mbit,schedule=every 1s for 200ms rtt=+50ms jitter=40ms loss=ge:1%:25%; at 2.5s up.rate=20mbit")
	other := Run{Path: mustPath(t, "rtt=20ms,rate=30mbit,schedule=every 300ms for 50ms rtt=+9ms"), Seed: 3, Spec: Spec{Kind: Bulk, Duration: 1500 * time.Millisecond}}
	seen := map[Run][]Result{}
	for _, runs := range [][]Run{{moved}, {other, moved, everything}, {other, moved, everything}} {
		err := RunBatch(context.Background(), Batch{Runs: runs, CPU: AnyCPU}, func(i int, r Result, _ []Sample) error {
			r.MeanCwnd, r.MinCwnd, r.MaxCwnd = 0, 0, 0
			seen[runs[i]] = append(seen[runs[i]], r)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for run, results := range seen {
		for i, r := range results[1:] {
			if r != results[0] {
				t.Errorf("%v, run %d: %+v, and first %+v", run.Path, i+2, r, results[0])
			}
		}
	}
}

// The bottleneck's rate steps down and up again, with what is queued kept, and
// an outage lets nothing through for as long as it lasts.
func TestRateStepAndOutage(t *testing.T) {
	labtest.NeedKernel(t)
	var series []Sample
	run := Run{
		Path: mustPath(t, "rtt=20ms,rate=40mbit,queue=100p,schedule=at 3s for 3s rate=8mbit; at 9s for 500ms loss=100%"),
		Seed: 1, Spec: Spec{Kind: Bulk, Duration: 12 * time.Second}, CC: "cubic", Series: 100 * time.Millisecond,
	}
	err := RunBatch(context.Background(), Batch{Runs: []Run{run}, CPU: AnyCPU}, func(_ int, _ Result, s []Sample) error {
		series = s
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	received := func(at time.Duration) int64 {
		i := slices.IndexFunc(series, func(s Sample) bool { return s.At == at })
		if i < 0 {
			t.Fatalf("no sample at %v", at)
		}
		return series[i].Received
	}
	// A full frame of 1514 bytes carries 1448 of data.
	const goodput = 1448.0 / 1514
	for _, c := range []struct {
		from, to time.Duration
		rate     unit.BitRate
	}{
		{1500 * time.Millisecond, 2900 * time.Millisecond, 40 * unit.Mbit},
		{3500 * time.Millisecond, 5900 * time.Millisecond, 8 * unit.Mbit},
		{7500 * time.Millisecond, 8900 * time.Millisecond, 40 * unit.Mbit},
		{9100 * time.Millisecond, 9400 * time.Millisecond, 0},
	} {
		got := float64(received(c.to)-received(c.from)) * 8 / (c.to - c.from).Seconds()
		if want := float64(c.rate) * goodput; got < want*0.9 || got > want*1.03 {
			t.Errorf("from %v to %v: %.2f Mbit/s, want %.2f", c.from, c.to, got/1e6, want/1e6)
		}
	}
	if after := received(12*time.Second) - received(10*time.Second); after < 1_000_000 {
		t.Errorf("only %d bytes in the two seconds after an outage", after)
	}
}
