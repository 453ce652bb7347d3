package probe

import (
	"context"
	"sync"
	"time"

	"unchoke/internal/probe/wait"
	"unchoke/internal/record"
	"unchoke/internal/stats"
	"unchoke/iperf3"
)

// rest is the path without load, by which it is known to have drained: what
// one step leaves in a queue must not pass for the next one's. The zero value
// is not known.
type rest struct {
	median time.Duration // RTT
	high   time.Duration // that three probes of four stay below
	// restless is set once the path did not come to rest: a queue that others
	// fill never drains, and the wait is not repeated.
	restless bool
}

const (
	// A path is at rest when the median of so many probes in a row is no more
	// than this above what is common without load.
	restProbes = 5
	restMargin = 2 * time.Millisecond
	// restLimit ends the wait.
	restLimit = 4 * time.Second
)

func restOf(idle record.Echo) rest {
	rtts := answered(idle.Probes)
	if len(rtts) == 0 {
		return rest{}
	}
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	return rest{median: seconds(stats.Median(rtts)), high: seconds(stats.Quantile(rtts, 0.75))}
}

// runTest runs a test with a server once the path is at rest, for which it waits while
// server and client agree on the test. begin is called then, before data flows.
func (c *checker) runTest(ctx context.Context, client iperf3.Client, server string, test iperf3.Test, begin func()) (*iperf3.Result, error) {
	waiting, stop := context.WithCancel(ctx)
	var restless error
	rested := make(chan struct{})
	go func() { defer close(rested); restless = c.drain(waiting) }()
	begin = sync.OnceFunc(begin)
	client.Ready = func(context.Context) error {
		<-rested
		if restless == nil {
			begin()
		}
		return restless
	}
	result, err := client.Run(ctx, server, test)
	stop()
	<-rested
	return result, err
}

// drain waits until the path is at rest. Where it does not come to rest, the
// record says so.
func (c *checker) drain(ctx context.Context) error {
	if c.Quick || c.rest.high == 0 || c.rest.restless {
		return nil // a quick check has no time to wait
	}
	probes := c.startEcho(ctx, idleInterval)
	if probes == nil {
		return nil
	}
	defer probes.stop("", 0)
	for begun := time.Now(); ; {
		if err := wait.For(ctx, idleInterval); err != nil {
			return err
		}
		due := due(probes.series.Snapshot(), 1.5*c.rest.high.Seconds())
		if len(due) >= restProbes {
			last := due[len(due)-restProbes:]
			if rise := riseOf(last, c.rest.high); shareLost(last) < 0.5 && rise <= restMargin {
				return nil
			}
		}
		if time.Since(begun) > restLimit {
			c.rest.restless = true
			c.run.Warnings = append(c.run.Warnings, "the path did not come to rest between two steps: other traffic may fill it")
			return nil
		}
	}
}
