// Package live changes the congestion control of connections that are open, and
// tells what they carried before and after.
package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"unchoke/internal/app/watching"
	"unchoke/internal/hint"
	"unchoke/internal/linux/cc"
	"unchoke/internal/linux/module"
	"unchoke/internal/linux/proc"
	"unchoke/internal/linux/sysctl"
	"unchoke/internal/live"
	"unchoke/internal/live/filter"
	"unchoke/internal/probe/wait"
	"unchoke/internal/tune/disk"
	"unchoke/internal/tune/journal"
	tunelive "unchoke/internal/tune/live"
	"unchoke/internal/tune/outcome"
)

// Window is what this host's connections did over a while.
type Window struct {
	flows []live.Flow        // at the end
	sent  map[string]float64 // bit/s, by ID
	got   map[string]float64
	over  time.Duration
}

// LeastWindow is the shortest one. Its two looks are as close as a sampler takes
// them.
const LeastWindow = 100 * time.Millisecond

// Watch watches this host's connections for a while.
func Watch(ctx context.Context, over time.Duration) (w Window, err error) {
	src, closeSource, err := watching.Watch(ctx, watching.Request{Interval: min(max(over/10, LeastWindow), time.Second)})
	if err != nil {
		return w, err
	}
	defer func() { err = errors.Join(err, closeSource()) }()
	first, err := src.Next(ctx)
	if err != nil {
		return w, err
	}
	for {
		last, err := src.Next(ctx)
		if err != nil {
			return w, err
		}
		if took := last.Time.Sub(first.Time); took >= over {
			return windowOf(first, last), nil
		}
	}
}

// windowOf takes the rates of those connections that are in both snapshots.
func windowOf(first, last *live.Snapshot) Window {
	w := Window{flows: last.Flows, sent: map[string]float64{}, got: map[string]float64{}, over: last.Time.Sub(first.Time)}
	was := map[string]*live.Flow{}
	for i := range first.Flows {
		was[first.Flows[i].ID] = &first.Flows[i]
	}
	for i := range last.Flows {
		f := &last.Flows[i]
		if b := was[f.ID]; b != nil && f.Sent >= b.Sent && f.Received >= b.Received {
			w.sent[f.ID] = float64(f.Sent-b.Sent) * 8 / w.over.Seconds()
			w.got[f.ID] = float64(f.Received-b.Received) * 8 / w.over.Seconds()
		}
	}
	return w
}

// Pick is the open connections that pass a filter, as tune live takes them.
func (w Window) Pick(pass filter.Filter) []*outcome.LiveFlow {
	var out []*outcome.LiveFlow
	for i := range w.flows {
		f := &w.flows[i]
		if f.Closed || !pass.Match(f) {
			continue
		}
		one := &outcome.LiveFlow{
			ID: f.ID, Local: f.Local.String(), Remote: f.Remote.String(), Process: f.Process, PID: f.PID, Unit: f.Unit,
			Old: f.CC, Sends: w.sent[f.ID] >= w.got[f.ID],
		}
		one.Before = w.rate(one)
		out = append(out, one)
	}
	return out
}

// rate is a connection's in the direction in which it carries most; nil where it
// was not there all the while.
func (w Window) rate(f *outcome.LiveFlow) *float64 {
	of := w.got
	if f.Sends {
		of = w.sent
	}
	rate, known := of[f.ID]
	if !known {
		return nil
	}
	return &rate
}

// After adds what the connections did since they were changed.
func (w Window) After(flows []*outcome.LiveFlow) {
	for _, f := range flows {
		f.After = w.rate(f)
	}
}

// lockTime is how long another run of tune is waited for.
const lockTime = 5 * time.Second

// Request asks for a change of connections that are open.
type Request struct {
	Dir  string // of the journal, absolute
	CC   string
	Wait time.Duration // until a connection does not recover from loss
}

// changer locks the journal and opens it.
func (q Request) changer(ctx context.Context) (c *tunelive.Changer, unlock func(), err error) {
	boot, netns, err := herePlace()
	if err != nil {
		return nil, nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, lockTime)
	defer cancel()
	unlock, err = journal.Lock(bounded, q.Dir)
	if err != nil {
		return nil, nil, err
	}
	j, err := tunelive.Open(disk.OS{}, q.Dir, boot, netns)
	if err != nil {
		unlock()
		return nil, nil, err
	}
	return &tunelive.Changer{Kernel: &tunelive.Sockets{}, Journal: j, Wait: q.Wait, Now: time.Now, Pause: wait.For}, unlock, nil
}

// herePlace is this boot, and this network namespace by its inode.
func herePlace() (boot string, netns uint64, err error) {
	if boot, err = proc.BootID(); err != nil {
		return "", 0, err
	}
	netns, err = proc.Netns("self")
	return boot, netns, err
}

// Change gives connections another congestion control and says of each in
// place what became of it. Module is what was loaded for it.
func Change(ctx context.Context, q Request, flows []*outcome.LiveFlow) (loaded string, err error) {
	c, unlock, err := q.changer(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	if loaded, err = available(ctx, c.Journal, q.CC); err != nil {
		return "", err
	}
	err = c.Change(ctx, flows, q.CC, loaded)
	kept, failed := keep(ctx, c.Journal, loaded)
	return kept, errors.Join(err, failed)
}

// Reverted is what Revert did.
type Reverted struct {
	Flows     []*outcome.LiveFlow
	Units     []outcome.LiveUnit
	Elsewhere int // connections that were changed in other network namespaces
}

// Revert takes back what was done to units' later connections, gives all
// connections that were changed their old congestion control back, and unloads
// what was loaded for them where nothing else uses it.
func Revert(ctx context.Context, q Request) (r Reverted, err error) {
	c, unlock, err := q.changer(ctx)
	if err != nil {
		return r, err
	}
	defer unlock()
	modules := slices.Concat(c.Journal.Modules(), c.Journal.Loads())
	slices.Sort(modules)
	if r.Units, err = scope(c.Journal).Revert(); err != nil {
		return r, err
	}
	r.Flows, r.Elsewhere = c.Journal.Standing()
	if err := c.Revert(ctx, r.Flows); err != nil {
		return r, err
	}
	if len(c.Journal.Modules()) > 0 {
		return r, nil
	}
	for _, m := range slices.Compact(modules) {
		if users, err := module.Loaded(); err == nil && users[m] == 0 {
			_ = unload(ctx, m) // somebody may use it since: it does no harm
		}
		if slices.Contains(c.Journal.Loads(), m) {
			if err := c.Journal.Unloaded(m, time.Now()); err != nil {
				return r, err
			}
		}
	}
	return r, nil
}

// Status is what has become of the connections that were changed, and how
// many there are in other network namespaces. It changes nothing and takes no
// lock: a change that is being made may be missing.
func Status(dir string) (items []outcome.LiveItem, elsewhere int, err error) {
	boot, netns, err := herePlace()
	if err != nil {
		return nil, 0, err
	}
	j, err := tunelive.Open(disk.OS{}, dir, boot, netns)
	if err != nil {
		return nil, 0, err
	}
	flows, elsewhere := j.Standing()
	if len(flows) == 0 {
		return nil, elsewhere, nil
	}
	have, err := tunelive.Algorithms(tunelive.IDs(flows))
	if err != nil {
		return nil, 0, err
	}
	return tunelive.Stands(flows, have), elsewhere, nil
}

// available makes an algorithm usable. loaded is the module that it took, of this
// run or of one that was killed then. The journal has it before it is loaded.
func available(ctx context.Context, j *tunelive.Journal, name string) (loaded string, err error) {
	have, err := cc.Probe(name)
	if err != nil {
		return "", err
	}
	if m := "tcp_" + name; slices.Contains(j.Loads(), m) {
		loaded = m
	}
	if have == cc.No {
		loaded = "tcp_" + name
		if err := j.Load(loaded, time.Now()); err != nil {
			return "", err
		}
		if err := module.Load(ctx, loaded); err != nil {
			err = hint.With(fmt.Errorf("this kernel has no congestion control %s: %w", name, err), "unchoke tune plan says what would bring it; unchoke check says which one this path needs")
			return "", errors.Join(err, j.Unloaded(loaded, time.Now()))
		}
		have, err = cc.Probe(name)
	}
	if err == nil {
		err = usable(name, have)
	}
	if err != nil && loaded != "" {
		return "", errors.Join(err, drop(ctx, j, loaded))
	}
	return loaded, err
}

// usable is why this process cannot use an algorithm; nil where it can.
func usable(name string, have cc.Have) error {
	switch have {
	case cc.Restricted:
		allowed, _ := cc.Allowed(sysctl.Kernel) // a hint may lack it
		return hint.With(fmt.Errorf("use the congestion control %s: %w", name, syscall.EPERM), "run it as root (sudo); every user may choose "+strings.Join(allowed, ", "))
	case cc.No:
		return fmt.Errorf("the module tcp_%s does not bring the congestion control %s", name, name)
	}
	return nil
}

// keep unloads a module that was loaded for a change that was not made. One that
// the journal has stays: a revert unloads it.
func keep(ctx context.Context, j *tunelive.Journal, loaded string) (kept string, err error) {
	if loaded == "" || slices.Contains(j.Modules(), loaded) {
		return loaded, nil
	}
	return "", drop(ctx, j, loaded)
}

// drop unloads a module that this program loaded.
func drop(ctx context.Context, j *tunelive.Journal, name string) error {
	if err := unload(ctx, name); err != nil {
		return err // a revert tries again
	}
	return j.Unloaded(name, time.Now())
}

// unloadTime is how long a module may take to go.
const unloadTime = 10 * time.Second

// unload removes a module after ^C, too.
func unload(ctx context.Context, name string) error {
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), unloadTime)
	defer cancel()
	return module.Unload(bounded, name)
}
