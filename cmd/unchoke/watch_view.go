package main

import (
	"context"

	"unchoke/internal/live"
	watchreport "unchoke/internal/report/watch"
)

// view is how the snapshots of the flows that a filter lets through are shown on
// standard output.
func (f watchFlags) view(a *app, filter string) (watchView, error) {
	if f.onTerminal(a) {
		return f.terminalView(a, filter)
	}
	order, err := f.order()
	if err != nil {
		return nil, err
	}
	group, err := f.groupBy()
	if err != nil {
		return nil, err
	}
	text := &watchreport.Text{Order: order, Group: group, Top: f.top}
	write := func(s *live.Snapshot) error { return text.Write(a.stdout, s, a.style()) }
	if f.json {
		write = func(s *live.Snapshot) error { return watchreport.JSON(a.stdout, s) }
	}
	if f.once {
		return once(write), nil
	}
	return always(write), nil
}

// always writes every snapshot.
func always(write func(*live.Snapshot) error) watchView {
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
func once(write func(*live.Snapshot) error) watchView {
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
