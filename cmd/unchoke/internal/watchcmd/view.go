package watchcmd

import (
	"context"
	"errors"
	"io"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/app/watching"
	"unchoke/internal/live"
	watchreport "unchoke/internal/report/watch"
)

// view is how the snapshots of the flows that a filter lets through are shown on
// standard output. They come from a recording where there is a tape.
func (f showFlags) view(a *cli.App, filter string, recording *watching.Tape) (viewer, error) {
	order, err := f.order()
	if err != nil {
		return viewer{}, err
	}
	group, err := f.groupBy()
	if err != nil {
		return viewer{}, err
	}
	if show, ok := f.terminalView(a, order, group, filter, recording); ok {
		return show, nil
	}
	text := &watchreport.Text{Order: order, Group: group, Top: f.top}
	write := func(s *live.Snapshot) error { return text.Write(a.Stdout, s, a.Style()) }
	if f.json {
		write = func(s *live.Snapshot) error { return watchreport.JSON(a.Stdout, s) }
	}
	if f.once {
		text.Explain = explained
		if f.length > 0 {
			return viewer{lastOf(write), true}, nil
		}
		return viewer{once(write), true}, nil
	}
	return viewer{always(write), true}, nil
}

// explained is of how many flows --once says what to do: more are no screen.
const explained = 5

// viewer is what shows the snapshots of a source until it ends.
type viewer struct {
	show func(context.Context, live.Source) error
	// all: it is to miss none, as a pipe.
	all bool
}

// always writes every snapshot.
func always(write func(*live.Snapshot) error) func(context.Context, live.Source) error {
	return func(ctx context.Context, src live.Source) error {
		for {
			s, err := src.Next(ctx)
			if err != nil {
				return err
			}
			if err := write(s); err != nil {
				return err
			}
		}
	}
}

// once writes the first snapshot that has rates.
func once(write func(*live.Snapshot) error) func(context.Context, live.Source) error {
	return func(ctx context.Context, src live.Source) error {
		for {
			s, err := src.Next(ctx)
			if err != nil {
				return err
			}
			if s.Interval > 0 {
				return write(s)
			}
		}
	}
}

// lastOf writes the last snapshot before the source or the time ends.
func lastOf(write func(*live.Snapshot) error) func(context.Context, live.Source) error {
	return func(ctx context.Context, src live.Source) error {
		var last *live.Snapshot
		for {
			s, err := src.Next(ctx)
			if err == nil {
				last = s
				continue
			}
			if last == nil || errors.Is(ctx.Err(), context.Canceled) && !errors.Is(err, io.EOF) {
				return err
			}
			return errors.Join(write(last), err)
		}
	}
}
