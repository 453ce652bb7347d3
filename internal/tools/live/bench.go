package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"unchoke/internal/diagnose"
	"unchoke/internal/live"
	"unchoke/internal/tools/diagnosis/draw"
	"unchoke/internal/tools/diagnosis/score"
	"unchoke/internal/tools/diagnosis/truth"
	"unchoke/internal/tools/tool"
)

// bench runs jobs in the lab.
type bench struct {
	unchoke  string    // the binary
	dir      score.Dir // where truths and outcomes are kept; empty: nowhere
	truths   score.Dir // where others' truths are; empty: nowhere
	machines int       // that run at a time
	seconds  int       // that count of a run for a truth, at most
	own      bool      // find out what slows each transfer itself down
	progress io.Writer

	mu       sync.Mutex
	outcomes []outcome
	failures []error
}

// outcome is what was watched of a job, and its truth.
type outcome struct {
	Draw    string         `json:"draw"`
	Path    string         `json:"path"`
	Family  string         `json:"family"`
	Way     draw.Direction `json:"way"`
	Program program        `json:"program"`
	Limit   float64        `json:"limit_bps,omitempty"` // the program's own
	Command string         `json:"command"`
	Truth   truth.Truth    `json:"truth"` // of stock iperf3
	// Own is the truth of the transfer itself, in its direction; nil where it was not
	// asked, as of a program that limits itself.
	Own    *truth.Truth `json:"own,omitempty"`
	Steady bool         `json:"steady"` // the path's delay does not vary
	// Sender and Receiver are the flow as either end saw it; nil where it never
	// showed.
	Sender   *live.Flow `json:"sender"`
	Receiver *live.Flow `json:"receiver"`
	Seconds  float64    `json:"seconds"` // of the sender's flow that were watched
	Warned   float64    `json:"warned_s"`
	// SenderRecord and ReceiverRecord are what unchoke check --flow saved on either
	// end, packed; empty where watch ran.
	SenderRecord   []byte `json:"sender_record,omitempty"`
	ReceiverRecord []byte `json:"receiver_record,omitempty"`
}

func (b *bench) run(ctx context.Context, jobs []job) ([]outcome, error) {
	tool.Each(ctx, b.machines, jobs, func(j job) {
		o, err := b.one(ctx, j)
		b.mu.Lock()
		defer b.mu.Unlock()
		if err != nil {
			b.failures = append(b.failures, err)
			fmt.Fprintf(b.progress, "FAIL %s: %v\n", j.draw.Name(), err)
			return
		}
		b.outcomes = append(b.outcomes, o)
		fmt.Fprintln(b.progress, o.line())
	})
	slices.SortFunc(b.outcomes, func(x, y outcome) int { return strings.Compare(x.Draw, y.Draw) })
	return b.outcomes, errors.Join(append(b.failures, ctx.Err())...)
}

// one is a job's outcome, kept or new, with the transfer's own truth where that is wanted.
func (b *bench) one(ctx context.Context, j job) (outcome, error) {
	o, err := b.kept(j)
	fresh := errors.Is(err, fs.ErrNotExist)
	if !fresh && (err != nil || !b.wantsOwn(o)) {
		return o, err
	}
	k, err := b.known(ctx, j.draw)
	if err != nil {
		return o, err
	}
	if fresh {
		o, err = b.seen(ctx, j, k)
	}
	if err == nil && b.wantsOwn(o) {
		if o.Own, err = b.ownTruth(ctx, k.Draw, j); err == nil {
			err = b.keep(j, o)
		}
	}
	return o, err
}

// kept is a job's outcome of before, with today's verdicts.
func (b *bench) kept(j job) (o outcome, err error) {
	if b.dir == "" {
		return o, fs.ErrNotExist
	}
	if err = b.dir.Load(j.file(), &o); err == nil {
		err = o.judge()
	}
	return o, err
}

// keep is for the next run.
func (b *bench) keep(j job, o outcome) error {
	if b.dir == "" {
		return nil
	}
	return b.dir.Save(j.file(), o)
}

// seen is what is seen of a job on a path whose truth is known.
func (b *bench) seen(ctx context.Context, j job, k score.Known) (outcome, error) {
	limit, _ := j.limited(k.Truth.Seen[j.way].Rate)
	near, far := j.scripts(b.unchoke, limit)
	if j.attach {
		near, far = j.attachScripts(b.unchoke, limit)
	}
	args := k.Draw.Scene.ExecBeside(far, k.Draw.Lab, near)
	o := outcome{
		Draw: k.Draw.Name(), Path: k.Draw.Scene.Path, Family: k.Draw.Family, Way: j.way, Program: j.program, Limit: limit,
		Command: strings.Join(args, " "), Truth: k.Truth, Steady: !strings.Contains(k.Draw.Scene.Path, "jitter"),
	}
	if j.attach {
		err := b.attach(ctx, args, &o)
		if err == nil {
			err = b.keep(j, o)
		}
		return o, errors.Join(err, o.judge())
	}
	ends, err := b.watch(ctx, args)
	if err != nil {
		return o, fmt.Errorf("watch %s: %w", o.Draw, err)
	}
	if j.way == draw.Down {
		slices.Reverse(ends)
	}
	o.Sender, o.Seconds, o.Warned = busiest(ends[0], true)
	o.Receiver, _, _ = busiest(ends[1], false)
	return o, b.keep(j, o)
}

// labTimeout is wall time, far above what a job takes on a busy machine.
const labTimeout = 15 * time.Minute

// exec runs a lab and returns what near printed before and after the mark.
func (b *bench) exec(ctx context.Context, args []string) (near, far string, err error) {
	ctx, cancel := context.WithTimeout(ctx, labTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.unchoke, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	near, far, ok := strings.Cut(out.String(), mark+"\n")
	if err != nil || !ok {
		return "", "", fmt.Errorf("%w: %s", errors.Join(err, errors.New("no result")), bytes.TrimSpace(errs.Bytes()))
	}
	return near, far, nil
}

// watch runs a lab and reads what was watched on near and on far.
func (b *bench) watch(ctx context.Context, args []string) ([][]live.Snapshot, error) {
	near, far, err := b.exec(ctx, args)
	if err != nil {
		return nil, err
	}
	var ends [][]live.Snapshot
	for _, text := range []string{near, far} {
		var all []live.Snapshot
		for dec := json.NewDecoder(strings.NewReader(text)); dec.More(); {
			var s live.Snapshot
			if err := dec.Decode(&s); err != nil {
				return nil, fmt.Errorf("read what was watched: %w", err)
			}
			all = append(all, s)
		}
		ends = append(ends, all)
	}
	return ends, nil
}

// busiest is the flow that was given most to carry, once it is old enough, for how
// many seconds it was seen and for how many of them it was warned of. Where nothing
// of it arrived it waits in the sender.
func busiest(all []live.Snapshot, sends bool) (at *live.Flow, seconds, warned float64) {
	carried := func(f *live.Flow) uint64 {
		if sends {
			return f.Sent + uint64(f.Unacked)*uint64(f.SegmentSize) + uint64(f.NotSent)
		}
		return f.Received
	}
	id, most := "", uint64(0)
	for _, s := range all {
		for i := range s.Flows {
			if f := &s.Flows[i]; carried(f) > most {
				id, most = f.ID, carried(f)
			}
		}
	}
	for _, s := range all {
		i := slices.IndexFunc(s.Flows, func(f live.Flow) bool { return f.ID == id })
		if i < 0 || s.Flows[i].Closed {
			continue
		}
		f := &s.Flows[i]
		seconds += s.Interval
		if slices.Contains(f.Warnings, live.ChaosZone) {
			warned += s.Interval
		}
		if at == nil || at.Age < watched {
			at = f
		}
	}
	return at, seconds, warned
}

// judge makes the verdicts anew, from what was watched or from the records.
func (o *outcome) judge() error {
	for _, end := range []struct {
		flow   **live.Flow
		packed []byte
	}{{&o.Sender, o.SenderRecord}, {&o.Receiver, o.ReceiverRecord}} {
		switch {
		case len(end.packed) > 0:
			f, err := judged(end.packed)
			if err != nil {
				return err
			}
			*end.flow = f
		case *end.flow != nil:
			diagnose.Live(*end.flow)
		}
	}
	return nil
}

const ending = ".live.json"

func (j job) file() string { return j.draw.Name() + ending }

// replayed judges kept flows again.
func replayed(dir string) ([]outcome, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*"+ending))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("read outcomes from %s: %w", dir, fs.ErrNotExist)
	}
	var out []outcome
	for _, file := range files {
		var o outcome
		if err := score.Dir(dir).Load(filepath.Base(file), &o); err != nil {
			return out, err
		}
		if err := o.judge(); err != nil {
			return out, err
		}
		out = append(out, o)
	}
	return out, err
}
