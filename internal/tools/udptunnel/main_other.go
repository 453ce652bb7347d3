//go:build !linux

// Udptunnel is a tunnel for benches and tests, on Linux.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "udptunnel: it takes Linux")
	os.Exit(1)
}
