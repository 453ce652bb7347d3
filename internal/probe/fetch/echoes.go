package fetch

import (
	"context"
	"time"

	"unchoke/internal/probe/echo"
	"unchoke/internal/probe/wait"
	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// running is a series of echo probes under way; a nil one measures nothing.
type running struct {
	series *echo.Series
	start  time.Duration
}

// startEcho begins a series beside what follows, where this host may send
// probes.
func (f *fetcher) startEcho(ctx context.Context) *running {
	start := f.elapsed()
	s, err := echo.Start(context.WithoutCancel(ctx), f.at.addresses[0], echo.Options{Port: f.at.portNumber()})
	if err != nil {
		if len(f.run.Echoes) == 0 {
			f.run.Warnings = append(f.run.Warnings, "no echo probes: "+err.Error())
		}
		return nil
	}
	return &running{s, start}
}

func (r *running) stop(name string, rtt time.Duration) *record.Echo {
	if r == nil {
		return nil
	}
	e := r.series.Stop(min(200*time.Millisecond+2*rtt, 2*time.Second))
	e.Name, e.Started = name, r.start.Seconds()
	return &e
}

// idle watches the path without load.
func (f *fetcher) idle(ctx context.Context) error {
	if f.Routed != nil {
		f.Routed(f.at.addresses[0])
	}
	r := f.startEcho(ctx)
	if r == nil {
		f.rtt = f.connectTime()
		return nil
	}
	err := wait.For(ctx, f.plan.idle())
	e := r.stop("idle", time.Second)
	f.run.Echoes = append(f.run.Echoes, *e)
	if f.rtt = medianRTT(e.Probes); f.rtt == 0 {
		f.rtt = f.connectTime()
		f.run.Warnings = append(f.run.Warnings, "no echo probe was answered: the RTT is the connections' own, and delay under load is not known")
	}
	return err
}

// connectTime is a round trip, and what the server took to accept.
func (f *fetcher) connectTime() time.Duration {
	if len(f.fetch.Addresses) == 0 {
		return 0
	}
	return time.Duration(f.fetch.Addresses[0].Connect * float64(time.Second))
}

func medianRTT(probes []record.Probe) time.Duration {
	answered := record.RTTs(probes)
	if len(answered) == 0 {
		return 0
	}
	return time.Duration(stats.Median(answered) * float64(time.Second))
}
