// Unchoke finds why one TCP stream is slow on a path that ought to be fast,
// proves the cause, fixes it, and shows that the fix worked.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	takeOver()
	os.Exit(runUntilSignal(os.Stdout))
}

// runUntilSignal runs with a context that the first SIGINT or SIGTERM cancels,
// so that what was begun is undone; the second ends the program at once.
func runUntilSignal(stdout io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return run(ctx, os.Args[1:], os.Stdin, stdout, os.Stderr)
}
