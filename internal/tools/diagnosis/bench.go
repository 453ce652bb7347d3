package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"unchoke/internal/tools/diagnosis/ask"
	"unchoke/internal/tools/diagnosis/draw"
	"unchoke/internal/tools/diagnosis/score"
	"unchoke/internal/tools/diagnosis/truth"
	"unchoke/internal/tools/tool"
)

// bench runs a draw in the lab: checks, and truths where none is known yet.
type bench struct {
	unchoke  string    // the binary
	far      ask.Far   // what the check is asked for
	seconds  int       // that count of a run of iperf3, at most
	dir      score.Dir // where outcomes are kept; empty: nowhere
	machines int       // that run at a time
	recheck  bool      // ask the program again where it has answered
	twin     bool      // try copies of each path, as a check does that has the lab
	progress io.Writer

	mu       sync.Mutex
	outcomes []score.Outcome
	failures []error
}

// run judges all draws in their order, so that what a stopped bench has judged
// is a smaller draw of the same kind. Where some could not be judged, the others
// are returned beside the error.
func (b *bench) run(ctx context.Context, draws []draw.Draw) ([]score.Outcome, error) {
	tool.Each(ctx, b.machines, draws, func(d draw.Draw) {
		o, err := b.one(ctx, d)
		b.note(d, o, err)
	})
	return b.outcomes, errors.Join(append(b.failures, ctx.Err())...)
}

func (b *bench) one(ctx context.Context, d draw.Draw) (score.Outcome, error) {
	known, err := b.dir.Find(ctx, truth.Lab{Unchoke: b.unchoke}, b.seconds, d)
	if err != nil {
		return score.Outcome{}, err
	}
	// What was saved is about the draw that was saved.
	said, err := b.said(ctx, known.Draw)
	return score.Outcome{Known: known, Said: said}, err
}

func (b *bench) said(ctx context.Context, d draw.Draw) (score.Said, error) {
	s, err := b.checked(ctx, d)
	if err != nil || !b.twin || s.Weighed > 0 || s.Verdict == score.Failed {
		return s, err
	}
	if s, err = ask.Weigh(ctx, s); err != nil {
		return s, fmt.Errorf("try copies of %s: %w", d.Name(), err)
	}
	return s, b.keep(d, s)
}

// checked is what a check says, or has said.
func (b *bench) checked(ctx context.Context, d draw.Draw) (score.Said, error) {
	if b.dir != "" && !b.recheck {
		if s, err := b.dir.LoadSaid(d.Name()); !errors.Is(err, fs.ErrNotExist) {
			return s, err
		}
	}
	s := ask.Check(ctx, b.unchoke, b.far, d)
	if ctx.Err() != nil {
		return s, ctx.Err()
	}
	return s, b.keep(d, s)
}

func (b *bench) keep(d draw.Draw, s score.Said) error {
	if b.dir == "" {
		return nil
	}
	return b.dir.SaveSaid(d.Name(), s)
}

func (b *bench) note(d draw.Draw, o score.Outcome, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		b.failures = append(b.failures, err)
		fmt.Fprintf(b.progress, "FAIL %s %s: %v\n", d.Name(), d.Family, err)
		return
	}
	b.outcomes = append(b.outcomes, o)
	mark := "ok  "
	if !o.Right() {
		mark = "MISS"
	}
	fmt.Fprintf(b.progress, "%s %s %-20s is %-14s said %-14s %.2f  %s\n", mark, o.Draw.Name(), o.Draw.Family, o.Truth.Leading(), o.Said.Verdict, o.Said.Confidence(), o.Draw.Scene.Path)
}
