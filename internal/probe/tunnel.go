package probe

import (
	"context"
	"net/netip"
	"slices"
	"sync"
	"time"

	"unchoke/internal/probe/echo"
	"unchoke/internal/probe/wait"
	"unchoke/internal/record"
)

// Tunnel tells by which way packets go. Its program is asked before the first
// probe, while the tests run and after the last, since a path settles only once
// there is traffic on it, and may change.
type Tunnel interface {
	// Look asks, at a time since the run began, and may keep its caller waiting; Every says
	// how often that is worth it beside a test, 0 for never.
	Look(ctx context.Context, at time.Duration)
	Every() time.Duration
	// Outside lists addresses on the way of the outer packets, and Heard is told
	// the RTT of those that answer.
	Outside() []netip.Addr
	Heard(address netip.Addr, rtt time.Duration)
	// Tunnel is what is known by now.
	Tunnel() record.Tunnel
}

// follow watches the tunnel until stop is called, which looks a last time.
func (c *checker) follow(ctx context.Context) (stop func()) {
	if c.Tunnel == nil {
		return func() {}
	}
	c.Tunnel.Look(ctx, c.elapsed())
	if c.Tunnel.Every() == 0 {
		return func() { c.outside(ctx) }
	}
	watching, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(c.Tunnel.Every())
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				c.Tunnel.Look(watching, c.elapsed())
			case <-watching.Done():
				return
			}
		}
	})
	return func() {
		cancel()
		done.Wait()
		c.Tunnel.Look(ctx, c.elapsed())
		c.outside(ctx)
	}
}

// How long and how often the addresses outside are asked for an echo.
const (
	outsideTime  = time.Second
	outsideEvery = 100 * time.Millisecond
)

// outside measures the RTT to the addresses outside the tunnel, all at once,
// now that nothing else runs.
func (c *checker) outside(ctx context.Context) {
	if c.left() < outsideTime || ctx.Err() != nil {
		return
	}
	var asked sync.WaitGroup
	for _, address := range c.Tunnel.Outside() {
		series, err := echo.Start(ctx, address, echo.Options{Interval: outsideEvery, Port: echo.DiscardPort})
		if err != nil {
			continue // no way there, or no right to ask: the RTT stays unknown
		}
		asked.Go(func() {
			if wait.For(ctx, outsideTime*3/4) != nil {
				series.Stop(0)
				return
			}
			if rtts := record.RTTs(series.Stop(outsideTime / 4).Probes); len(rtts) > 0 {
				c.Tunnel.Heard(address, time.Duration(slices.Min(rtts)*float64(time.Second)))
			}
		})
	}
	asked.Wait()
}
