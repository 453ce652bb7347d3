//go:build !slim

package app

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"unchoke/internal/flow"
	"unchoke/internal/lab/traffic"
	"unchoke/internal/stats"
	"unchoke/internal/twin"
)

// labMachines makes a twin's trials in lab machines, one a CPU side by side.
type labMachines struct {
	jobs   int
	kernel string
}

func newLabMachines() labMachines { return labMachines{jobs: runtime.GOMAXPROCS(0)} }

// run makes the trials and returns their outcomes in order. done hears of each.
func (m labMachines) run(ctx context.Context, trials []twin.Trial, done func()) ([]twin.Outcome, error) {
	if len(trials) == 0 {
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	outcomes := make([]twin.Outcome, len(trials))
	errs := make([]error, max(m.jobs, 1))
	var mu sync.Mutex
	var machines sync.WaitGroup
	for first := range min(len(errs), len(trials)) {
		machines.Go(func() {
			b := traffic.Batch{CPU: traffic.AnyCPU, Kernel: m.kernel}
			var which []int
			for i := first; i < len(trials); i += len(errs) {
				which = append(which, i)
				b.Runs = append(b.Runs, runOfTrial(trials[i]))
			}
			err := traffic.RunBatch(ctx, b, func(i int, r traffic.Result, series []traffic.Sample) error {
				outcomes[which[i]] = outcomeOf(trials[which[i]], r, series)
				mu.Lock()
				defer mu.Unlock()
				done()
				return nil
			})
			if err != nil {
				errs[first] = err
				cancel(err)
			}
		})
	}
	machines.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return outcomes, errors.Join(errs...)
}

func runOfTrial(t twin.Trial) traffic.Run {
	r := traffic.Run{
		Path: t.Path, Seed: t.Seed, CC: t.CC, Streams: t.Streams, Neighbor: t.Neighbor,
		Near: traffic.Host{SendMax: t.SendMax, Reordering: t.Reordering, NoSACK: t.NoSACK},
		Far:  traffic.Host{ReceiveMax: t.ReceiveMax},
		Spec: traffic.Spec{
			Kind: traffic.Bulk, Duration: t.Duration, Omit: t.Omit, Pace: t.Pace, Read: t.Read,
			SendBuffer: t.Window, ReceiveBuffer: t.Window,
		},
	}
	if t.Early {
		r.Series = t.Duration / flow.Slices
	}
	return r
}

func outcomeOf(t twin.Trial, r traffic.Result, series []traffic.Sample) twin.Outcome {
	o := twin.Outcome{
		Rate: r.Throughput, Segments: float64(r.Segments), Resent: float64(r.Retransmits),
		RTT: r.MeanRTT.Seconds(), Neighbor: r.NeighborThroughput, Failed: r.Failed,
	}
	if !t.Early {
		return o
	}
	received := func(at time.Duration) float64 {
		n := 0.0
		for _, s := range series {
			if s.At <= at {
				n = float64(s.Received)
			}
		}
		return n
	}
	o.Steady, o.Early = twin.Steady(received, t.Duration), 8*received(t.Duration/2)/(t.Duration/2).Seconds()
	var rtts []float64
	for _, s := range series {
		if s.At >= t.Duration*2/5 && s.RTT > 0 {
			rtts = append(rtts, s.RTT.Seconds())
		}
	}
	if len(rtts) > 0 {
		o.RTT = stats.Median(rtts)
	}
	return o
}
