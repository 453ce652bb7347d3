package probe

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"unchoke/internal/probe/echo"
	"unchoke/internal/probe/wait"
	"unchoke/internal/record"
	"unchoke/internal/stats"
	"unchoke/iperf3"
)

// rest is the path without load, by which it is known to have drained: what
// one step leaves in a queue must not pass for the next one's. The zero value
// is not known.
type rest struct {
	high time.Duration // RTT that three probes of four stay below
	// restless is set once the path did not come to rest: a queue that others
	// fill never drains, and the wait is not repeated.
	restless bool
}

// restLimit ends the wait.
const restLimit = 4 * time.Second

func restOf(idle record.Echo) rest {
	rtts := record.RTTs(idle.Probes)
	if len(rtts) == 0 {
		return rest{}
	}
	return rest{high: time.Duration(stats.Quantile(rtts, 0.75) * float64(time.Second))}
}

// runTest runs a test with a server once the path is at rest, for which it waits while
// server and client agree on the test. begin is called then, before data flows. What
// echo probes saw until then stands in the record: a path may do between two tests what
// it does in none, as fall silent.
func (c *checker) runTest(ctx context.Context, client iperf3.Client, server string, test iperf3.Test, begin func()) (*iperf3.Result, error) {
	probes := c.restEcho(ctx)
	if err := wait.For(ctx, c.queued(c.elapsed())); err != nil {
		c.keep(probes)
		return nil, err
	}
	ready := sync.OnceValue(func() error {
		err := c.drain(ctx, probes)
		c.keep(probes)
		if err == nil {
			begin()
		}
		return err
	})
	client.Ready = func(context.Context) error { return ready() }
	result, err := client.Run(ctx, server, test)
	c.keep(probes)
	return result, err
}

// queued is how long the queue that the last test left takes to empty from now on. A
// full one drops the first packet of a connection, which comes again only after a
// second, and what it does not drop waits there as long.
func (c *checker) queued(now time.Duration) time.Duration {
	if c.rest.high == 0 || c.rest.restless {
		return 0
	}
	return min(c.empty-now, restLimit)
}

// emptyAt is when the queue has emptied in which the last probe of a series waited, at
// the earliest after a test that ended at a time of the series.
func (r rest) emptyAt(e record.Echo, end float64) time.Duration {
	var empty time.Duration
	for _, p := range e.Probes {
		if p.RTT > 0 {
			empty = time.Duration((e.Started+max(p.At, end)+p.RTT)*float64(time.Second)) - r.high
		}
	}
	return empty
}

// restEcho begins a series of echo probes between two tests; nil where none is wanted.
func (c *checker) restEcho(ctx context.Context) *running {
	if c.Quick || c.rest.high == 0 {
		return nil // a quick check has no time to wait
	}
	return c.startEcho(ctx, idleInterval)
}

// keep ends a series between two tests and puts it into the record, once.
func (c *checker) keep(probes *running) {
	if probes == nil || probes.stopped {
		return
	}
	due := time.Since(probes.series.Started()).Seconds() - 1.5*c.rest.high.Seconds()
	c.keepBetween(withoutPending(probes.stop("", 0), due, c.rest.high.Seconds()))
}

// keepBetween puts a series into the record that belongs to no transfer.
func (c *checker) keepBetween(e record.Echo) {
	if len(e.Probes) == 0 {
		return
	}
	e.Name = fmt.Sprintf("rest-%d", len(c.run.Echoes))
	c.run.Echoes = append(c.run.Echoes, e)
}

// keepAfter is keepBetween of what came after a time of a series, in seconds.
func (c *checker) keepAfter(e record.Echo, from float64) {
	c.keepBetween(window(e, "", from, math.Inf(1)))
}

// drain waits until the path is at rest, as probes tell that began with the test. Where
// it does not come to rest, the record says so.
func (c *checker) drain(ctx context.Context, probes *running) error {
	if probes == nil || c.rest.restless {
		return nil
	}
	for begun := time.Now(); ; {
		due := due(probes.series.Snapshot(), 1.5*c.rest.high.Seconds())
		if len(due) >= echo.RestProbes {
			last := due[len(due)-echo.RestProbes:]
			if rise := riseOf(last, c.rest.high); shareLost(last) < 0.5 && rise <= echo.RestMargin {
				return nil
			}
		}
		if time.Since(begun) > restLimit {
			c.rest.restless = true
			c.run.Warnings = append(c.run.Warnings, "the path did not come to rest between two steps: other traffic may fill it")
			return nil
		}
		if err := wait.For(ctx, idleInterval); err != nil {
			return err
		}
	}
}
