package traffic

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"unchoke/internal/lab/labtest"
	"unchoke/internal/lab/machine"
	"unchoke/internal/path"
	"unchoke/internal/unit"
)

func TestMain(m *testing.M) {
	machine.Main()
	Main()
	os.Exit(m.Run())
}

// article is the jitter-cliff article's sender and receiver at a rate.
func article(rate unit.BitRate) Spec {
	return Spec{
		Kind: Paced, Rate: rate, Write: 8 * unit.KiB, ReceiveBuffer: 256 * unit.KiB,
		Read: 16 * unit.KiB, ReadEvery: time.Millisecond, Duration: 10 * time.Second,
	}
}

const mebibyte = 8 * unit.BitRate(unit.MiB) // a second

func mustPath(t *testing.T, text string) path.Path {
	t.Helper()
	p, err := path.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func runBatch(t *testing.T, runs ...Run) []Result {
	t.Helper()
	labtest.NeedKernel(t)
	var out []Result
	err := RunBatch(context.Background(), Batch{Runs: runs, CPU: AnyCPU}, func(i int, r Result, series []Sample) error {
		out = append(out, r)
		t.Logf("%v %s: %+v", runs[i].Path, runs[i].CC, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Every kind of traffic carries what its path lets it.
func TestKinds(t *testing.T) {
	for _, c := range []struct {
		run       Run
		low, high float64 // Mbit/s
	}{
		{Run{Spec: article(5 * mebibyte), CC: "cubic"}, 38, 42}, // offered: 41.9
		{Run{Spec: Spec{Kind: Bulk, Duration: 10 * time.Second, Omit: 2 * time.Second}, CC: "bbr"}, 46, 48.6},
		{Run{Spec: Spec{Kind: Chunked, Rate: 5 * unit.Mbit, Chunk: 4 * time.Second, Duration: 30 * time.Second}}, 6, 7},
		{Run{Spec: Spec{Kind: Bulk, Duration: 10 * time.Second}, Streams: 3, Neighbor: "cubic"}, 20, 45},
	} {
		c.run.Path, c.run.Seed = mustPath(t, "rtt=50ms,rate=50mbit"), 1
		r := runBatch(t, c.run)[0]
		if mbit := r.Throughput / 1e6; mbit < c.low || mbit > c.high {
			t.Errorf("%s: %.2f Mbit/s, want %v to %v", c.run.Spec.Kind, mbit, c.low, c.high)
		}
		if r.Stalled != 0 || c.run.CC != "" && r.CC != c.run.CC {
			t.Errorf("%s: stalled %v, congestion control %s", c.run.Spec.Kind, r.Stalled, r.CC)
		}
		if c.run.Neighbor != "" && (r.NeighborThroughput < 1e6 || r.Throughput+r.NeighborThroughput > 48.6e6) {
			t.Errorf("%s beside a neighbor: %v and %v bit/s", c.run.Spec.Kind, r.Throughput, r.NeighborThroughput)
		}
	}
}

// What comes of a run hardly depends on its place: of traffic as the article's
// not at all, alone, first, last and between others, to the nanosecond.
func TestPlaceInBatch(t *testing.T) {
	labtest.NeedKernel(t)
	observed := article(10 * mebibyte)
	observed.Duration = 4 * time.Second
	bulk := Spec{Kind: Bulk, Duration: 4 * time.Second}
	bbr := Run{Path: mustPath(t, "rtt=50ms,jitter=8ms,order=free,loss=0.1%"), Seed: 7, Spec: observed, CC: "bbr", Series: 10 * time.Millisecond}
	cubic := bbr
	cubic.CC = "cubic"
	lossy := Run{Path: mustPath(t, "rtt=27ms,loss=0.1%"), Seed: 8, Spec: bulk}
	jittery := Run{Path: mustPath(t, "rtt=50ms,jitter=8ms,order=free,loss=0.1%,rate=100mbit"), Seed: 9, Spec: bulk}
	other := Run{Path: mustPath(t, "rtt=20ms,rate=30mbit"), Seed: 3, Spec: Spec{Kind: Bulk, Duration: 1500 * time.Millisecond}, Streams: 2, Neighbor: "bbr"}
	seen := map[Run]Result{}
	for _, runs := range [][]Run{{bbr}, {bbr, cubic, other, bbr, cubic}, {other, cubic, bbr}, {lossy, jittery}, {jittery, lossy, bbr}} {
		err := RunBatch(context.Background(), Batch{Runs: runs, CPU: AnyCPU}, func(i int, r Result, series []Sample) error {
			if len(series) != 401 && runs[i].Series > 0 {
				t.Errorf("%d samples of 4 s every 10 ms", len(series))
			}
			if first, ok := seen[runs[i]]; !ok {
				seen[runs[i]] = r
			} else if r != first {
				t.Errorf("%v: %+v, and first %+v", runs[i], r, first)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A kernel without the algorithm says so, and what was finished is kept.
func TestNoSuchCC(t *testing.T) {
	labtest.NeedKernel(t)
	good := Run{Path: mustPath(t, "rtt=10ms,rate=20mbit"), Spec: Spec{Kind: Bulk, Duration: time.Second}}
	bad := good
	bad.CC = "bbr9"
	finished := 0
	err := RunBatch(context.Background(), Batch{Runs: []Run{good, bad, good}, CPU: AnyCPU}, func(int, Result, []Sample) error {
		finished++
		return nil
	})
	failed, ok := errors.AsType[*RunError](err)
	if !ok || failed.Run != 1 || finished != 1 || !strings.Contains(failed.Message, `"bbr9"`) || !strings.Contains(failed.Hint(), "cubic") {
		t.Errorf("after %d runs: %v (%+v)", finished, err, failed)
	}
}

// A path that carries next to nothing ends a run in bounded time: with what was
// carried, and with the reason where no connection came about.
func TestHopelessPaths(t *testing.T) {
	labtest.NeedKernel(t)
	duration := 3 * time.Second
	paced := article(mebibyte)
	paced.Duration = duration
	var runs []Run
	for _, loss := range []string{"50%", "60%", "80%", "90%", "100%"} {
		for _, spec := range []Spec{
			{Kind: Bulk, Duration: duration},
			paced,
			{Kind: Chunked, Rate: 5 * unit.Mbit, Chunk: 500 * time.Millisecond, Duration: duration},
		} {
			for seed := range uint64(3) {
				runs = append(runs, Run{Path: mustPath(t, "rtt=20ms,loss="+loss), Seed: seed + 1, Spec: spec})
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	made, failed := 0, 0
	err := RunBatch(ctx, Batch{Runs: runs, CPU: AnyCPU}, func(i int, r Result, _ []Sample) error {
		made++
		if r.Failed != "" {
			failed++
		}
		p := runs[i].Path
		if r.Elapsed < duration || r.Elapsed > 2*duration+time.Second || r.MinRTT > time.Minute {
			t.Errorf("%v, %s: %+v", p, runs[i].Spec.Kind, r)
		}
		if p.Up.Loss.Mean() == 1 && (r.Failed == "" || r.Bytes != 0) {
			t.Errorf("%v, %s: %+v", p, runs[i].Spec.Kind, r)
		}
		return nil
	})
	if err != nil || made != len(runs) {
		t.Errorf("%d of %d runs: %v", made, len(runs), err)
	}
	t.Logf("%d of %d runs lost their connection", failed, len(runs))
}
