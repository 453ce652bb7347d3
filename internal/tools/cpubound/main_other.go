//go:build !linux

// Cpubound measures how well a check names the rate that a processor allows, on
// Linux.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "cpubound: it takes Linux")
	os.Exit(1)
}
