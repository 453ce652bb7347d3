//go:build !linux

// Watching measures what it costs to watch a host's connections, on Linux.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "watching: it takes Linux")
	os.Exit(1)
}
