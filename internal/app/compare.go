//go:build !slim

package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"unchoke/internal/app/request"
	"unchoke/internal/audit"
	"unchoke/internal/compare"
	"unchoke/internal/probe/trial"
	"unchoke/internal/record"
	"unchoke/iperf3"
)

// CompareRequest asks for arms to be compared on one path.
type CompareRequest struct {
	request.Request
	Arms []record.Arm // the first is the baseline
	// Config has the seed, the blocks, the margin and the neighbor; times are
	// chosen by the path where they are trial.Auto.
	Config                record.ComparisonConfig
	Duration, Omit, Pause time.Duration
	Wait                  time.Duration // for a server that is busy
	// Progress hears what is prepared; Blocks hears of each trial.
	Progress request.Progress
	Blocks   func(*record.Comparison, compare.Progress)
}

// check refuses what no path could be asked.
func (q CompareRequest) check() error {
	switch c := q.Config; {
	case c.Blocks < 0 || c.MaxBlocks < 1:
		return request.Refuse("", "a comparison has at least one block")
	case c.Margin <= 0 || c.Margin >= 1:
		return request.Refuse("0.05 calls arms within 5 % of each other equivalent", "margin %g is not between 0 and 1", c.Margin)
	case q.Wait < 0 || q.Duration < trial.Auto || q.Omit < trial.Auto || q.Pause < trial.Auto:
		return request.Refuse("", "times must not be negative")
	case q.Duration == 0:
		return request.Refuse("", "a trial's duration must be positive")
	case q.Duration != trial.Auto && q.Omit >= q.Duration:
		return request.Refuse("", "a trial of %v, of which %v are dropped, leaves nothing", q.Duration, q.Omit)
	case q.Omit > 0 && q.Omit%time.Second != 0:
		least := q.Omit.Truncate(time.Second)
		return request.Refuse(fmt.Sprintf("%v or %v", least, least+time.Second), "%v of each trial are to be dropped: the iperf3 protocol drops whole seconds", q.Omit)
	}
	return nil
}

// Compare runs the arms interleaved and keeps the record. A comparison that
// ended early returns what it saw, and the error. The comparison is nil where
// no trial was made.
func Compare(ctx context.Context, q CompareRequest) (*record.Comparison, compare.Analysis, error) {
	var none compare.Analysis
	if err := q.check(); err != nil {
		return nil, none, err
	}
	there, err := q.openFar(ctx)
	if err != nil {
		return nil, none, err
	}
	defer there.close()
	shown := ShownTarget(q.Target)
	c := record.NewComparison(shown, q.Version, time.Now())
	c.Arms, c.Config = ShownArms(q.Arms), q.shownConfig()
	if q.hides() {
		c.Warnings = append(c.Warnings, hiddenWarning)
	}
	options, err := q.options(ctx, c, there)
	if err != nil {
		return nil, none, err
	}
	runner, err := trial.Prepare(ctx, options)
	if err != nil {
		return nil, none, fmt.Errorf("ab %s: %w", shown, err)
	}
	c.Config.Duration, c.Config.Omit, c.Config.Pause = runner.Duration.Seconds(), runner.Omit.Seconds(), runner.Pause.Seconds()
	c.Far = there.known(q.Arms, runner.Far)
	q.foretell(c)
	analysis, failed := compare.Run(ctx, c, runner.Run, func(p compare.Progress) {
		if q.Blocks != nil {
			q.Blocks(c, p)
		}
	})
	c.Warnings = append(c.Warnings, runner.Warnings...)
	left := runner.Close(ctx)
	if left != nil {
		c.Warnings = append(c.Warnings, left.Error())
	}
	if failed != nil {
		if ctx.Err() != nil {
			c.Error = context.Cause(ctx).Error()
		}
		failed = fmt.Errorf("ab %s: %w", shown, failed)
	}
	if len(c.Trials) == 0 {
		return nil, none, errors.Join(failed, left)
	}
	q.Save(c, &c.Warnings)
	return c, analysis, failed
}

// options finds the arms' targets and looks at this host. A URL as it is goes to
// the trials alone; beside it, each arm is called as the record calls it.
func (q CompareRequest) options(ctx context.Context, c *record.Comparison, there *compared) (trial.Options, error) {
	o := trial.Options{
		Began: c.Started, Duration: q.Duration, Omit: q.Omit, Pause: q.Pause,
		Wait: q.Wait, Network: "tcp" + string(q.Family), Agent: "unchoke/" + c.Version, Token: q.Token,
	}
	there.use(&o, &c.Warnings)
	progress := q.Progress.OrNone()
	o.Progress = func(what string) { progress(0, what) }
	for i := range q.Arms {
		found, err := q.find(ctx, q.Arms[i], there)
		if err != nil {
			return o, err
		}
		c.Arms[i].Direction = found.Direction
		found.Arm = c.Arms[i]
		o.Arms = append(o.Arms, found)
	}
	if n := q.Config.Neighbor; n != nil {
		o.Neighbor = &trial.Side{Arm: *c.Config.Neighbor}
		if n.Target != "" {
			found, err := q.find(ctx, *n, there)
			if err != nil {
				return o, err
			}
			o.Neighbor.Server, o.Neighbor.URL = found.Server, found.URL
		}
	}
	if err := o.Check(); err != nil {
		return o, &request.Error{Err: err}
	}
	near, warnings := audit.Host()
	c.Near, c.Warnings = near, append(c.Warnings, warnings...)
	o.Near = c.Near
	return o, nil
}

// find looks an arm's target up. A target without a port has the comparison's,
// since it is mostly another address of the same host.
func (q CompareRequest) find(ctx context.Context, arm record.Arm, there *compared) (trial.Side, error) {
	target := arm.Target
	if target == "" {
		target = q.Target
	}
	if request.KindOf(target) == request.SSHTarget {
		if arm.Direction == "" {
			arm.Direction = record.Up
		}
		return trial.Side{Arm: arm, Server: there.server}, nil
	}
	if request.IsURL(target) {
		if arm.Direction == "" {
			arm.Direction = record.Down
		}
		u, err := request.ParseURL(target)
		return trial.Side{Arm: arm, URL: u}, err
	}
	if arm.Direction == "" {
		arm.Direction = record.Up
	}
	port := uint16(iperf3.DefaultPort)
	if request.KindOf(q.Target) == request.SSHTarget {
		port = there.server.Port() // another address of that host
	} else if !request.IsURL(q.Target) {
		var err error
		if port, err = request.Port(q.Target, port); err != nil {
			return trial.Side{}, err
		}
	}
	server, err := request.LookUp(ctx, target, q.Family, port)
	return trial.Side{Arm: arm, Server: server}, err
}
