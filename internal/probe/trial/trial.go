// Package trial runs the trials of a comparison: one transfer of one arm at a
// time, with what distinguishes the arm set on its own sockets and nowhere
// else. Each arm's treatment is read back, before the first trial and in every
// one; an arm that is not what it is called is an error, never a result.
//
// A Runner's life: Prepare watches the idle path and tries every arm briefly, so
// that what cannot run fails at once; Run waits for the path to come to rest and measures; Close
// leaves the far ends as they were.
package trial

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"time"

	"unchoke/internal/flow"
	"unchoke/internal/probe/wait"
	"unchoke/internal/record"
)

// Side is an arm whose target is known: an iperf3 server, or a URL whose
// body is downloaded.
type Side struct {
	// Arm is as the record has it: with its Direction, and of a URL only what may
	// be seen.
	record.Arm
	Server netip.AddrPort
	URL    *url.URL // instead of Server, with all that the server wants
}

// target tells the arm's target from others, whose shown URLs may be the same.
func (s Side) target() string {
	if s.Target == "" || s.URL == nil {
		return s.Target
	}
	return s.URL.String()
}

// Options of the trials of a comparison.
type Options struct {
	Arms []Side // at least one
	// Neighbor, if set, runs beside every trial, in the arm's direction. Only
	// its CC and its Server matter; without a Server it is a stream of the
	// arm's own test, which works upwards only.
	Neighbor *Side
	Near     record.Host // this host's facts, for what an error suggests
	Began    time.Time   // that trials' times count from

	// Duration is that of a trial, what is omitted included; Omit what is
	// dropped of it as slow start, rounded up to whole seconds since iperf3
	// counts it so; Pause the least time between two trials. Auto leaves each
	// to Prepare.
	Duration, Omit, Pause time.Duration

	Token string // for iperf3 servers that want one
	// Dial opens connections to iperf3 servers where this host does not reach them
	// itself; nil is the usual way.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	Wait time.Duration // for a busy server
	// Network is tcp, tcp4 or tcp6, and Agent what a browser would call itself:
	// of downloads.
	Network, Agent string
	// Progress is told what Prepare is at.
	Progress func(what string)
}

// Auto is a time that Prepare chooses by the path's RTT.
const Auto time.Duration = -1

// Runner runs trials. It is not for concurrent use: arms never run at once.
type Runner struct {
	Timing                 // as chosen
	Far      []record.Peer // one for each target, in order of first use
	Warnings []string

	began   time.Time
	arms    []arm
	servers *servers
}

// arm is one arm ready to run.
type arm struct {
	method
	idle    calm // the path to it
	silence silence
}

// method is a way to run an arm.
type method interface {
	// run runs it once: for length after what is omitted.
	run(ctx context.Context, omit, length time.Duration) (outcome, error)
	// address is where the arm's packets go: known once it has run.
	address() netip.Addr
}

// tryLength is that of an arm's first, short run: its treatment can be read
// back however little it sends.
const tryLength = 300 * time.Millisecond

// Prepare watches the idle path to every target, tries every arm, and chooses
// the times that are Auto. When it fails, the far ends are as they were.
func Prepare(ctx context.Context, o Options) (*Runner, error) {
	if err := o.sendable(); err != nil {
		return nil, err
	}
	r := &Runner{began: o.Began, servers: newServers(o)}
	if err := r.try(ctx, o); err != nil {
		if left := r.Close(ctx); left != nil {
			err = fmt.Errorf("%w; and %w", err, left)
		}
		return nil, err
	}
	var longest time.Duration
	for _, a := range r.arms {
		longest = max(longest, a.idle.median)
	}
	r.Timing = choose(o, longest)
	if longer := r.longer(o.Duration); longer != "" {
		r.Warnings = append(r.Warnings, longer)
	}
	return r, nil
}

// calms watches the path to every server, while nothing was sent on it. That to
// a URL is not known yet, and one that answers nothing is asked again later.
func calms(ctx context.Context, o Options) (map[netip.Addr]calm, error) {
	found := map[netip.Addr]calm{}
	for _, a := range o.Arms {
		addr := a.Server.Addr()
		if _, known := found[addr]; known || a.URL != nil {
			continue
		}
		o.tell("watch the idle path to " + addr.String())
		idle, err := watch(ctx, addr)
		if err != nil {
			return nil, err
		}
		if idle.median > 0 {
			found[addr] = idle
		}
	}
	return found, nil
}

// tell tells Progress, if anybody listens.
func (o Options) tell(what string) {
	if o.Progress != nil {
		o.Progress(what)
	}
}

// try runs every arm once.
func (r *Runner) try(ctx context.Context, o Options) error {
	methods := map[record.Arm]method{} // by what they do, whatever their name
	calms, err := calms(ctx, o)
	if err != nil {
		return err
	}
	peers := map[string]int{} // by target
	for _, a := range o.Arms {
		o.tell("try " + a.Name)
		key := a.Arm
		key.Name, key.Target = "", a.target()
		if m, tried := methods[key]; tried {
			r.arms = append(r.arms, arm{method: m, idle: calms[m.address()]})
			continue
		}
		if len(methods) > 0 { // a server that takes one test alone is gone by then
			if err := wait.For(ctx, leastPause); err != nil {
				return err
			}
		}
		m := newMethod(a, o, r.servers)
		first, err := m.run(ctx, 0, tryLength)
		if err != nil {
			return fmt.Errorf("arm %s: %w", a.Name, err)
		}
		methods[key] = m
		r.Warnings = append(r.Warnings, first.remarks...)
		if n, known := peers[key.Target]; known {
			r.Far[n] = merge(r.Far[n], first.peer)
		} else {
			peers[key.Target] = len(r.Far)
			r.Far = append(r.Far, first.peer)
		}
		addr := m.address()
		idle, known := calms[addr]
		if !known {
			look := func() (calm, error) { return watch(ctx, addr) }
			if idle, err = settle(look); err != nil {
				return err
			}
			if idle.median == 0 {
				r.Warnings = append(r.Warnings, fmt.Sprintf("%v answers no echo probe: the RTT under load is TCP's own, where that tells it", addr))
				least := seconds(flow.MinRTT(first.series))
				idle = calm{median: least, high: least}
			}
			calms[addr] = idle
		}
		r.arms = append(r.arms, arm{method: m, idle: idle})
	}
	return nil
}

// merge adds what one run told of a target to what another did.
func merge(a, b record.Peer) record.Peer {
	if a.Software == "" {
		a.Software = b.Software
	}
	if a.CC == "" {
		a.CC = b.CC
	}
	return a
}

// Run waits until the path is at rest and runs one trial of an arm, by its
// index. One that missed its neighbor is repeated.
func (r *Runner) Run(ctx context.Context, block, index int) (record.Trial, error) {
	a := &r.arms[index]
	t, err := meet(func() (record.Trial, error) { return r.once(ctx, *a) })
	if err == nil {
		err = a.silence.hear(&t)
	}
	t.Block, t.Arm = block, index
	return t, err
}

// once runs one trial of an arm.
func (r *Runner) once(ctx context.Context, a arm) (record.Trial, error) {
	probes := startProbes(ctx, a.address())
	defer probes.stop()
	restless, err := probes.await(ctx, a.idle, r.Pause)
	if err != nil {
		return record.Trial{}, err
	}
	o, err := a.run(ctx, r.Omit, r.Duration-r.Omit)
	if err != nil {
		return record.Trial{}, err
	}
	if err := o.meets(r.Duration - r.Omit); err != nil {
		return record.Trial{}, err
	}
	t := o.trial(probes.during(o))
	t.Started = o.start.Sub(r.began).Seconds()
	if restless != "" {
		t.Warnings = append(t.Warnings, restless)
	}
	return t, nil
}

// Close makes servers forget what the trials asked of them. It does so even
// where ctx has ended, within seconds. What it returns is a warning.
func (r *Runner) Close(ctx context.Context) error { return r.servers.reset(ctx) }
