package trial

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"unchoke/internal/probe/echo"
	"unchoke/internal/probe/wait"
	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// calm is the path's RTT without load, by which it is known to be at rest
// again. The zero value is not known.
type calm struct {
	median time.Duration
	high   time.Duration // that three probes of four stay below
}

const (
	// watchTime is how long a path is watched for its calm.
	watchTime = 500 * time.Millisecond
	// restLimit ends the wait: a queue that another's traffic fills never
	// drains.
	restLimit = 5 * time.Second

	probeEvery = echo.DefaultInterval
)

// watch measures the calm of the path to an address. It is zero where no probe
// is answered.
func watch(ctx context.Context, addr netip.Addr) (calm, error) {
	p := startProbes(ctx, addr)
	defer p.stop()
	if p.series == nil {
		return calm{}, nil
	}
	if err := wait.For(ctx, watchTime); err != nil {
		return calm{}, err
	}
	rtts := record.RTTs(p.end(time.Second))
	if len(rtts) == 0 {
		return calm{}, nil
	}
	return calm{seconds(stats.Median(rtts)), seconds(stats.Quantile(rtts, 0.75))}, nil
}

// settle looks at a path on which a try has just ended, over and over while its
// RTT falls: the try's own queue may still drain. What counts is the calmest.
func settle(look func() (calm, error)) (calm, error) {
	least, err := look()
	for began := time.Now(); err == nil && least.high > 0 && time.Since(began) < restLimit; {
		var now calm
		if now, err = look(); err != nil || now.high == 0 {
			break
		}
		falls := now.high < least.high-echo.RestMargin
		if now.high < least.high {
			least = now
		}
		if !falls {
			break
		}
	}
	return least, err
}

// probes is a series of echo probes beside a trial. It has none where this
// host cannot send any.
type probes struct {
	series *echo.Series
	start  time.Time
}

func startProbes(ctx context.Context, addr netip.Addr) *probes {
	series, err := echo.Start(ctx, addr, echo.Options{Interval: probeEvery, Port: echo.DiscardPort})
	if err != nil {
		return &probes{} // Prepare has said that there are none
	}
	return &probes{series, time.Now()}
}

// end stops the probes, waits so long for the last answers, and returns all.
func (p *probes) end(wait time.Duration) []record.Probe {
	if p.series == nil {
		return nil
	}
	all := p.series.Stop(wait).Probes
	p.series = nil
	return all
}

func (p *probes) stop() { p.end(0) }

// during stops the probes and returns those that were sent while the outcome
// counted.
func (p *probes) during(o outcome) []record.Probe {
	var within []record.Probe
	from, to := o.since().Sub(p.start).Seconds(), o.until().Sub(p.start).Seconds()
	for _, x := range p.end(0) {
		if x.At >= from && x.At < to {
			within = append(within, x)
		}
	}
	return within
}

// await lets the least pause pass, and then waits until the path is at rest.
// Where it does not come to rest, await says so in words.
func (p *probes) await(ctx context.Context, idle calm, least time.Duration) (restless string, err error) {
	if err := wait.For(ctx, least); err != nil || p.series == nil || idle.high == 0 {
		return "", err
	}
	for {
		rtt := recent(p.series.Snapshot(), idle)
		if rtt > 0 && rtt <= idle.high+echo.RestMargin {
			return "", nil
		}
		if waited := time.Since(p.start); waited > max(restLimit, 2*least) {
			if rtt == 0 {
				return "before this trial hardly an echo probe was answered", nil
			}
			return fmt.Sprintf("before this trial the path had not come to rest: RTT %v, idle %v", rtt.Round(time.Millisecond/10), idle.median.Round(time.Millisecond/10)), nil
		}
		if err := wait.For(ctx, probeEvery); err != nil {
			return "", err
		}
	}
}

// recent is the median RTT of the last probes that had time to come back; 0
// where too few did.
func recent(all []record.Probe, idle calm) time.Duration {
	if len(all) == 0 {
		return 0
	}
	due := all
	last := all[len(all)-1].At - 1.5*idle.high.Seconds()
	for len(due) > 0 && due[len(due)-1].At > last {
		due = due[:len(due)-1]
	}
	rtts := record.RTTs(due[max(len(due)-echo.RestProbes, 0):])
	if len(rtts) < echo.RestProbes/2+1 {
		return 0
	}
	return seconds(stats.Median(rtts))
}
