package main

import (
	"os"
	"syscall"

	"unchoke/internal/unit"
)

// peakMemory is the largest resident set of the process or of any child that
// it waited for: getrusage(2), where Linux counts in KiB.
func peakMemory(state *os.ProcessState) unit.Size {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return unit.Size(usage.Maxrss) * unit.KiB
}
