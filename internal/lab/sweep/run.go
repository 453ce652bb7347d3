// Package sweep runs a sweep file: it makes the runs of its grid in lab machines,
// side by side, and keeps one row a run. It has three rooms: language reads the
// file, grid is what it asks for, and store keeps what came of it.
package sweep

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"unchoke/internal/lab/sweep/grid"
	"unchoke/internal/lab/sweep/language"
	"unchoke/internal/lab/sweep/store"
	"unchoke/internal/lab/traffic"
)

// Options say how to run a sweep file, whatever it is.
type Options struct {
	Dir     string       // of the results
	Jobs    int          // machines at a time, each on a CPU of its own
	Shard   grid.Shard   // the zero value is the whole
	Kernel  string       // of the machines, as traffic.Batch has it
	Name    store.Kernel // what summary.json calls that kernel
	Version string       // of unchoke
	// RunBatch makes the runs of a batch; nil is traffic.RunBatch.
	RunBatch func(context.Context, traffic.Batch, func(int, traffic.Result, []traffic.Sample) error) error
	// Progress, if not nil, is called after every run, by one goroutine at a
	// time.
	Progress func(Progress)
}

// Progress is how far a sweep has come.
type Progress struct {
	Runs, Planned int
	// Left is how long the rest will take; 0 as long as nothing is known.
	Left time.Duration
	// Factor is virtual time over wall time since the start.
	Factor float64
}

// The summary of a running sweep is brought up to date so often, and so seldom
// that writing it, of a large grid, takes no more than that share of the time.
const (
	summaryEvery = 10 * time.Second
	summaryShare = 0.05
)

// Run makes the runs of the file that are not there yet, and returns the
// summary of all. What is finished stays, whatever the error is: the same call
// goes on from there.
func Run(ctx context.Context, f language.File, o Options) (store.Summary, error) {
	g, err := f.Grid()
	if err != nil {
		return store.Summary{}, err
	}
	if o.RunBatch == nil {
		o.RunBatch = traffic.RunBatch
	}
	lots := o.Shard.Of(grid.Lots(g.Cells, f.UntilCI))
	s := store.Summary{
		Name: f.Name, Version: o.Version, Kernel: o.Name, Shard: o.Shard.String(),
		PlannedRuns: grid.Planned(lots, g.Cells), Jobs: o.Jobs, Sweep: string(f.YAML()),
	}
	st, s, err := store.Begin(o.Dir, g, s)
	if err != nil {
		return s, err
	}
	defer st.Close()
	e := &engine{file: f, options: o, grid: g, store: st, summary: s, started: time.Now(), planned: s.PlannedRuns}
	e.meanRun = f.VirtualTime() / time.Duration(f.Runs())
	e.summaryDue = e.started.Add(summaryEvery)
	err = e.run(ctx, lots)
	return e.finish(lots, err)
}

// engine runs lots side by side.
type engine struct {
	file    language.File
	options Options
	grid    grid.Grid
	store   *store.Store
	started time.Time
	meanRun time.Duration // of virtual time

	mu         sync.Mutex
	summary    store.Summary // without what this engine added
	summaryDue time.Time
	virtual    time.Duration // of the runs made by this engine
	planned    int           // runs, those that a tight interval saves left out
}

// run makes the runs of the lots on as many machines at a time as asked for.
// The first error ends it.
func (e *engine) run(ctx context.Context, lots []grid.Lot) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan grid.Lot)
	var workers sync.WaitGroup
	for range max(e.options.Jobs, 1) {
		workers.Go(func() {
			for l := range queue {
				if err := e.make(ctx, l); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, l := range lots {
		select {
		case queue <- l:
		case <-ctx.Done():
		}
	}
	close(queue)
	workers.Wait()
	return context.Cause(ctx)
}

// make makes the batches of one lot.
func (e *engine) make(ctx context.Context, l grid.Lot) error {
	for ctx.Err() == nil {
		runs := l.Next(e.grid.Cells, e.file.UntilCI, e.store.Of)
		if runs == nil {
			e.saved(l)
			return nil
		}
		if err := e.batch(ctx, runs); err != nil {
			return err
		}
		if err := e.store.Sync(); err != nil {
			return err
		}
		if err := e.summarize(); err != nil {
			return err
		}
	}
	return nil
}

func (e *engine) batch(ctx context.Context, runs []grid.RunID) error {
	b := traffic.Batch{CPU: traffic.AnyCPU, Kernel: e.options.Kernel}
	for _, id := range runs {
		c := e.grid.Cells[id.Cell]
		b.Runs = append(b.Runs, traffic.Run{
			Path: c.Path, Seed: c.Seed(id.Repetition), Spec: c.Traffic,
			CC: c.Arm.CC, Streams: c.Arm.Streams, Neighbor: c.Arm.Neighbor, Series: e.file.Series,
		})
	}
	made := 0
	err := e.options.RunBatch(ctx, b, func(i int, r traffic.Result, series []traffic.Sample) error {
		made++
		isNew, err := e.store.Add(runs[i], r, series)
		e.progress(e.grid.Cells[runs[i].Cell].Traffic.Duration, isNew)
		return err
	})
	switch failed, ok := errors.AsType[*traffic.RunError](err); {
	case ok && failed.Run < len(runs):
		id := runs[failed.Run]
		return &failedRun{failed, id, e.grid.Cells[id.Cell]}
	case err == nil && made < len(runs):
		return fmt.Errorf("a machine made %d of %d runs", made, len(runs))
	}
	return err
}

// failedRun is a run that could not be made, as the grid names it.
type failedRun struct {
	*traffic.RunError
	id   grid.RunID
	cell grid.Cell
}

func (e *failedRun) Error() string {
	return fmt.Sprintf("path %q, arm %q, repetition %d: %s", e.cell.Path, e.cell.Arm, e.id.Repetition, e.Message)
}

func (e *failedRun) Unwrap() error { return e.RunError }

// progress takes a finished run into account.
func (e *engine) progress(took time.Duration, isNew bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.virtual += took
	if e.options.Progress == nil || !isNew {
		return
	}
	p := Progress{Runs: e.store.Count(), Planned: e.planned}
	wall := time.Since(e.started)
	p.Factor = e.virtual.Seconds() / wall.Seconds()
	if p.Factor > 0 {
		p.Left = time.Duration(float64(p.Planned-p.Runs) * float64(e.meanRun) / p.Factor)
	}
	e.options.Progress(p)
}

// saved takes the runs out of the plan that a complete lot did not need.
func (e *engine) saved(l grid.Lot) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range l.Cells {
		for rep := range e.grid.Cells[c].Repeat {
			if _, done := e.store.Of(grid.RunID{Cell: c, Repetition: rep}); !done {
				e.planned--
			}
		}
	}
}

// summarize brings the summary up to date, if that is due.
func (e *engine) summarize() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if time.Now().Before(e.summaryDue) {
		return nil
	}
	began := time.Now()
	err := e.store.WriteSummary(e.current())
	took := float64(time.Since(began))
	e.summaryDue = time.Now().Add(max(summaryEvery, time.Duration(took/summaryShare)))
	return err
}

// current is the summary with what this engine added.
func (e *engine) current() store.Summary {
	s := e.summary
	s.VirtualS += e.virtual.Seconds()
	s.WallS += time.Since(e.started).Seconds()
	return s
}

// finish puts complete results in order, says whether they are, and leaves
// the summary behind. An error comes through.
func (e *engine) finish(lots []grid.Lot, err error) (store.Summary, error) {
	complete := err == nil
	for _, l := range lots {
		complete = complete && l.Next(e.grid.Cells, e.file.UntilCI, e.store.Of) == nil
	}
	if complete {
		err = e.store.Sort()
	}
	e.mu.Lock()
	e.summary.Complete = complete && err == nil
	s := e.store.Summary(e.current())
	e.mu.Unlock()
	// Where the disk is full, that is the error to show.
	return s, errors.Join(err, e.store.WriteSummary(s))
}
