// Package tool is what the main functions of the repository's tools share.
package tool

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// Main runs a tool with the process's arguments and output until it is done or
// interrupted. An error is printed behind the tool's name and ends the process
// with status 1.
func Main(name string, run func(ctx context.Context, args []string, stdout, stderr io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}
