package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interrupted is why a command ended before its time. It is a context.Canceled.
type interrupted string

func (i interrupted) Error() string        { return string(i) }
func (i interrupted) Is(target error) bool { return target == context.Canceled }

func interruptedBy(s os.Signal) interrupted {
	switch s {
	case syscall.SIGTERM:
		return "ended by SIGTERM"
	case syscall.SIGHUP:
		return "ended by SIGHUP"
	}
	return "interrupted"
}

// untilSignal is a context that the first ^C, SIGTERM or closing of the terminal
// cancels, so that what was begun is undone. The next ^C or SIGTERM ends the program at
// once; a terminal that is closed may say so twice, and its second word does not. Under
// nohup it says nothing.
func untilSignal() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals, again := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
		signal.Notify(again, syscall.SIGHUP) // which nobody reads
	}
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(interruptedBy(s))
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}
