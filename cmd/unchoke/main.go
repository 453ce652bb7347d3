// Unchoke finds why one TCP stream is slow on a path that ought to be fast,
// proves the cause, fixes it, and shows that the fix worked.
package main

import (
	"io"
	"os"
)

func main() {
	takeOver()
	os.Exit(runUntilSignal(os.Stdout))
}

// runUntilSignal runs the command line until it is done or a signal ends it.
func runUntilSignal(stdout io.Writer) int {
	ctx, stop := untilSignal()
	defer stop()
	return run(ctx, os.Args[1:], os.Stdin, stdout, os.Stderr)
}
