//go:build !linux

// Fleet measures what rollouts to many hosts leave, on Linux.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "fleet: it takes Linux")
	os.Exit(1)
}
