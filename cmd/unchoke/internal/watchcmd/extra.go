package watchcmd

import (
	"context"
	"errors"
	"io"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/cmd/unchoke/internal/command"
	"unchoke/internal/app/watching"
	"unchoke/internal/live"
)

// extra is what `unchoke watch` can do beside what it shows on standard
// output: serve a page, be scraped.
type extra interface {
	flags(*command.FlagSet)
	// open begins it, where the flags ask for it: each is called with every
	// snapshot and returns soon, serve runs until its context ends. Both are nil
	// where it is not asked for.
	open(*cli.App) (each func(*live.Snapshot), serve func(context.Context) error, err error)
}

// stayer is one that goes on when a recording is over: it still shows the
// end of it. The watch lasts until it is stopped then.
type stayer interface {
	begun() bool
	over()
}

// replayer is one that can turn a recording that is played.
type replayer interface{ replays(*watching.Tape) }

// openExtras begins those that are asked for.
func openExtras(a *cli.App, extras []extra) (each []func(*live.Snapshot), serve []func(context.Context) error, err error) {
	for _, x := range extras {
		e, s, err := x.open(a)
		if err != nil {
			return nil, nil, err
		}
		if e != nil {
			each = append(each, e)
		}
		if s != nil {
			serve = append(serve, s)
		}
	}
	return each, serve, nil
}

// stayers are those that were begun and go on.
func stayers(extras []extra) []stayer {
	var out []stayer
	for _, x := range extras {
		if stays, ok := x.(stayer); ok && stays.begun() {
			out = append(out, stays)
		}
	}
	return out
}

// broadcast gives the snapshots of one source to the view and to all else, and
// ends them all when the first ends, or, where somebody stays, with the context.
func broadcast(ctx context.Context, src live.Source, show viewer, each []func(*live.Snapshot), serve []func(context.Context) error, stay []stayer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b := watching.NewBroadcast(src, each...)
	shown := b.Subscribe()
	if show.all {
		shown = b.SubscribeAll()
	}
	parts := []func(context.Context) error{
		func(ctx context.Context) error {
			err := show.show(ctx, shown)
			if errors.Is(err, io.EOF) && len(stay) > 0 {
				for _, x := range stay {
					x.over()
				}
				<-ctx.Done()
			}
			return err
		},
		func(ctx context.Context) error {
			err := b.Run(ctx)
			if err == nil { // the view shows what is left of it and ends by itself
				<-ctx.Done()
			}
			return err
		},
	}
	parts = append(parts, serve...)
	ended := make(chan error, len(parts))
	for _, run := range parts {
		go func() { ended <- run(ctx) }()
	}
	err := <-ended
	cancel()
	for range len(parts) - 1 {
		if e := <-ended; e != nil && !errors.Is(e, context.Canceled) {
			err = errors.Join(err, e)
		}
	}
	return err
}
