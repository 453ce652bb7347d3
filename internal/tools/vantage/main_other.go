//go:build !linux

// Vantage measures how well a comparison of places tells where a cause lies, on
// Linux.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "vantage: it takes Linux")
	os.Exit(1)
}
