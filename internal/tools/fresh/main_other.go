//go:build !linux

// Fresh shows how long it takes on a fresh Debian from the package to a verdict,
// on Linux.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "fresh: it takes Linux")
	os.Exit(1)
}
