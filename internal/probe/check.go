// Package probe measures a path: echo probes idle and under load, TCP one
// stream and eight each way, a UDP ladder each way. What it sees goes into a
// record; what that means is not its business.
package probe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"unchoke/internal/probe/echo"
	"unchoke/internal/probe/load"
	"unchoke/internal/probe/wait"
	"unchoke/internal/record"
	"unchoke/iperf3"
)

// Options of a check.
type Options struct {
	Address netip.Addr // of the target, resolved
	Port    uint16
	Budget  time.Duration // of path time; 0 is DefaultBudget, or QuickBudget
	Quick   bool
	CC      string        // congestion control of the senders; empty leaves each host its own
	Token   string        // for a server that wants one
	Wait    time.Duration // how long to wait for a busy server
	// Dial opens the TCP connections to the server where this host cannot; nil
	// otherwise. Nothing is asked outside a tunnel then.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// DialUDP opens UDP streams, where the far host has to send first.
	DialUDP func(ctx context.Context, address string) (net.Conn, error)
	// NoUDP is why UDP cannot reach the server; empty where it may.
	NoUDP string
	// Tunnel is asked by which way packets go; nil where there is nobody to ask.
	Tunnel Tunnel
	// Progress is told how far the check is (0 to 1) and what it is at.
	Progress func(share float64, what string)
}

// checker runs one check and fills its record.
type checker struct {
	Options
	run    *record.Run
	start  time.Time
	plan   plan
	client iperf3.Client
	doing  string                    // the step that runs, as progress names it
	filled map[record.Direction]bool // by one stream
	mss    map[record.Direction]int  // that passes, where full segments do not
	asked  map[record.Direction]bool // outside a tunnel
	vain   time.Duration             // spent on what measured nothing: no path time
	rest   rest
	empty  time.Duration // when the queue that the last test left has emptied, by elapsed
	load   *load.Host
	stood  standing
	// noOutside is set once nobody serves beside the tunnel.
	noOutside bool
}

// Check measures the path and fills in the run's echoes and transfers. Where
// it fails midway, what was measured stands in the run, its Error set, and the
// error is returned as well. A congestion control that this host does not have
// is refused before anything is sent.
func Check(ctx context.Context, run *record.Run, o Options) error {
	if err := NearCC(o.CC, run.Near); err != nil {
		return err
	}
	if o.Budget == 0 {
		o.Budget = DefaultBudget
		if o.Quick {
			o.Budget = QuickBudget
		}
	}
	if o.Progress == nil {
		o.Progress = func(float64, string) {}
	}
	var late iperf3.Late
	defer late.Close()
	c := &checker{
		Options: o, run: run, start: time.Now(),
		plan:   plan{budget: o.Budget, quick: o.Quick},
		client: iperf3.Client{SampleEvery: sampleEvery, BusyWait: o.Wait, Token: o.Token, ControlMSS: controlMSS, Dial: o.Dial, DialUDP: o.DialUDP, Late: &late},
		filled: map[record.Direction]bool{}, mss: map[record.Direction]int{}, asked: map[record.Direction]bool{},
		load: load.New(run.Route.Device), noOutside: o.Dial != nil,
	}
	if o.NoUDP != "" {
		c.skip("UDP", o.NoUDP+". The diagnosis does without")
		run.UDPBlocked = true
	}
	defer iperf3.TwoProcessors()()
	run.Config = record.Config{Quick: o.Quick, Budget: o.Budget.Seconds(), CC: o.CC}
	stop := c.follow(ctx)
	err := c.steps(ctx)
	stop()
	if err != nil {
		run.Error, run.Interrupted = err.Error(), ctx.Err() != nil
	}
	return err
}

// patience bounds a wait for the server beyond the round trips that it takes: a
// queue of several seconds has to drain, a server that never answers must not
// use up the check.
const patience = 5 * time.Second

// staleTime lets datagrams of an earlier test leave a queue.
const staleTime = time.Second

// controlMSS lets the control connection's messages pass where large packets
// vanish: Linux's own choice for such paths (TCP_BASE_MSS).
const controlMSS = 1024

// sampleEvery is the interval of TCP_INFO.
const sampleEvery = 20 * time.Millisecond

// step is one measurement: what time it needs, and whether the check can do
// without it. Before it sends anything, it lets the path drain.
type step struct {
	name     string
	need     func() time.Duration
	run      func(context.Context) error
	optional bool
	// more is set for a step that only looks for what one stream of this
	// direction leaves.
	more record.Direction
	udp  bool // the step is nothing where UDP does not come through
	late bool // it failed in its turn, and comes after all others
}

// nothing is the need of a step that has nothing to do: it is neither taken nor told of.
const nothing time.Duration = -1

func (c *checker) steps(ctx context.Context) error {
	single := func() time.Duration { return c.plan.singleTime() }
	many := c.eightTime
	// Of a path that one stream fills, a longer one tells more than eight.
	eight := func(d record.Direction) func() time.Duration {
		return func() time.Duration {
			longer := c.leastLonger(d) + c.plan.overhead()
			if c.Quick || !c.fills(d) || c.left() < longer {
				return many()
			}
			return many() + longer
		}
	}
	ladder := func() time.Duration { return 4*c.plan.slot() + 2*c.plan.overhead() }
	confirm := func() time.Duration { return confirmTime + c.plan.overhead() }
	sure := func() time.Duration { return confirm() + c.owed() }
	none := func() time.Duration { return 0 }
	// Outside a tunnel before the ladders only where all the rest has time as well,
	// a ladder down with a test a rung, else at the end.
	reserve := func() time.Duration { return c.outsideTime() + 4*ladder() + 2*confirm() + 2*many() }
	outside := func(d record.Direction) func() time.Duration {
		return func() time.Duration {
			if c.mayAskOutside(d) {
				return c.outsideTime()
			}
			return nothing
		}
	}
	outer := func() time.Duration {
		if c.outsideAddress().IsValid() {
			return 0
		}
		return nothing
	}
	beside := func(d record.Direction) func() time.Duration {
		return func() time.Duration {
			if c.suspect(d) {
				return c.turnsTime()
			}
			return 0
		}
	}
	streams := func(d record.Direction) func(context.Context) error {
		return func(ctx context.Context) error { return c.eightStreams(ctx, d) }
	}
	first := []step{
		{name: "echo probes, idle", need: none, run: c.idle},
		{name: "packet sizes", need: none, run: c.packetSizes},
		{name: "TCP, one stream down", need: none, run: c.stream(record.Down)},
		{name: "TCP, one stream up", need: single, run: c.stream(record.Up), optional: true},
		{name: "outside the tunnel", need: outer, run: c.outsideBoth(reserve), optional: true},
	}
	up := []step{
		{name: "UDP ladder up", need: ladder, run: c.ladderUp, optional: true, more: record.Up, udp: true},
		{name: "UDP beside TCP, up", need: beside(record.Up), run: c.besideUDP(record.Up), optional: true, more: record.Up, udp: true},
		{name: "UDP above the ceiling, up", need: sure, run: c.overload, optional: true, more: record.Up, udp: true},
	}
	down := []step{
		{name: "UDP ladder down", need: ladder, run: c.ladderDown, optional: true, more: record.Down, udp: true},
		{name: "UDP beside TCP, down", need: beside(record.Down), run: c.besideUDP(record.Down), optional: true, more: record.Down, udp: true},
		{name: "UDP below the ceiling, down", need: sure, run: c.confirm(record.Down), optional: true, more: record.Down, udp: true},
	}
	last := []step{
		{name: "UDP below the ceiling, up", need: sure, run: c.confirm(record.Up), optional: true, more: record.Up, udp: true},
		{name: "outside the tunnel, down", need: outer, run: c.outsideTCP(record.Down, c.beforeEight(record.Down)), optional: true},
		{name: "outside the tunnel, up", need: outer, run: c.outsideTCP(record.Up, c.beforeEight(record.Up)), optional: true},
		{name: "TCP, eight streams down", need: eight(record.Down), run: streams(record.Down), optional: true, more: record.Down},
		{name: "TCP, eight streams up", need: eight(record.Up), run: streams(record.Up), optional: true, more: record.Up},
		{name: "outside the tunnel, down", need: outside(record.Down), run: c.outsideTCP(record.Down, none), optional: true},
		{name: "outside the tunnel, up", need: outside(record.Up), run: c.outsideTCP(record.Up, none), optional: true},
		{name: "UDP above one stream", need: none, run: c.above, optional: true, udp: true},
	}
	if err := c.each(ctx, first); err != nil {
		return err
	}
	if c.losing(record.Down) && c.filled[record.Up] {
		up, down = down, up // time may not suffice for both: the direction that lacks a cause first
	}
	for _, steps := range [][]step{append(append(up, down...), last...), c.byCubic()} {
		if err := c.each(ctx, steps); err != nil {
			return err
		}
	}
	// These take all the time that is left: what comes late is over.
	if err := c.each(ctx, c.longer()); err != nil {
		return err
	}
	c.Progress(1, "done")
	return nil
}

// each takes steps one after the other. A step of UDP that the server gave up twice comes
// again after all others, and so do the later ones of its direction, which build on it. The
// steps are its own from then on.
func (c *checker) each(ctx context.Context, steps []step) error {
	first, late := len(steps), map[record.Direction]bool{}
	for i := 0; i < len(steps); i++ {
		s := steps[i]
		if s.more != "" && c.Quick && c.filled[s.more] {
			c.skip(s.name, "one stream fills the path already: more would carry no more")
			continue
		}
		if s.udp && i < first && (late[s.more] || s.more == "" && len(late) > 0) {
			steps = append(steps, s)
			continue
		}
		need := s.need()
		if need == nothing {
			continue
		}
		if s.optional && need > 0 && c.left() < need {
			c.skip(s.name, fmt.Sprintf("not enough left of the %v of path time", c.Budget))
			continue
		}
		if s.udp && c.run.UDPBlocked {
			continue // said once, by the first ladder
		}
		c.doing = s.name
		c.tell()
		err := c.try(ctx, s)
		switch {
		case err == nil:
		case s.udp && c.givenUp(err):
			// The next step finds out whether the server is there.
			if i < first {
				s.late, late[s.more] = true, true
				steps = append(steps, s)
			} else {
				c.skip(s.name, err.Error())
			}
			if err := wait.For(ctx, staleTime); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			c.waste()
		case errors.Is(err, iperf3.ErrUDPBlocked):
			c.skip("UDP ladder", fmt.Sprintf("no UDP packet comes through to port %d and back: a firewall may drop them. The diagnosis does without", c.Port))
			c.run.UDPBlocked = true
			c.waste()
		default:
			return fmt.Errorf("%s: %w", s.name, starved(err, c.run))
		}
	}
	return nil
}

func (c *checker) elapsed() time.Duration { return time.Since(c.start) }

// left is what the steps still to come may take. What was wasted is
// theirs.
func (c *checker) left() time.Duration { return c.Budget - (c.elapsed() - c.vain) }

// tell says how much of the path time is used up, and what runs.
func (c *checker) tell() {
	c.Progress(min(1-float64(c.left())/float64(c.Budget), 1), c.doing)
}

func (c *checker) skip(step, why string) {
	c.run.Skipped = append(c.run.Skipped, record.Skip{Step: step, Why: why})
}

// idle watches the path without load, and learns the RTT that the plan of all
// else rests on.
func (c *checker) idle(ctx context.Context) error {
	e := c.startEcho(ctx, idleInterval)
	if e == nil {
		return nil
	}
	if err := wait.For(ctx, c.plan.idle()); err != nil {
		e.stop("idle", 0)
		return err
	}
	series := e.stop("idle", time.Second)
	c.run.Echoes = append(c.run.Echoes, series)
	c.plan.rtt = medianRTT(series)
	c.rest = restOf(series)
	c.client.Timeout = patience + controlRTTs*c.plan.rtt
	if c.plan.rtt == 0 {
		c.run.Warnings = append(c.run.Warnings, "no echo probe was answered: the RTT is TCP's own, and delay under load is not known")
	}
	return nil
}

// running is an echo series under way; a nil one measures nothing.
type running struct {
	series  *echo.Series
	start   time.Duration
	stopped bool
}

// startEcho begins a series, or returns nil and leaves a warning where this
// host cannot send any.
func (c *checker) startEcho(ctx context.Context, interval time.Duration) *running {
	start := c.elapsed()
	s, err := echo.Start(ctx, c.Address, echo.Options{Interval: interval, Port: echo.DiscardPort})
	if err != nil {
		if len(c.run.Echoes) == 0 {
			c.run.Warnings = append(c.run.Warnings, "no echo probes: "+err.Error())
		}
		return nil
	}
	return &running{series: s, start: start}
}

// stopAfter ends a series beside a test. Whatever came after it has had a round trip
// or two, in which server and client exchanged results, and the rest is waited for;
// probes that were sent since then may not have been answered yet.
func (c *checker) stopAfter(r *running, name string, test *iperf3.Result) record.Echo {
	wait := c.plan.rtt
	if test == nil || test.Start.IsZero() {
		return r.stop(name, wait)
	}
	after := test.Start.Add(test.Elapsed)
	e, end := r.stop(name, max(wait-time.Since(after), 0)), after.Sub(r.series.Started()).Seconds()
	c.empty = c.rest.emptyAt(e, end)
	return withoutPending(e, end, c.plan.rtt.Seconds())
}

// withoutPending leaves out the probes that were sent after a time of a series, in
// seconds, and had no answer yet. One is lost, and stays, where another was answered
// that was sent a round trip or more after it.
func withoutPending(e record.Echo, from, rtt float64) record.Echo {
	for _, p := range e.Probes {
		if p.RTT > 0 {
			from = max(from, p.At-rtt)
		}
	}
	kept := e.Probes[:0]
	for _, p := range e.Probes {
		if p.RTT > 0 || p.At <= from {
			kept = append(kept, p)
		}
	}
	e.Probes, e.Sent = kept, len(kept)
	return e
}

func (r *running) stop(name string, wait time.Duration) record.Echo {
	r.stopped = true
	e := r.series.Stop(wait)
	e.Name, e.Started = name, r.start.Seconds()
	return e
}
