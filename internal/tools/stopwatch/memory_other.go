//go:build !linux

package main

import (
	"os"

	"unchoke/internal/unit"
)

// peakMemory is 0, for unknown: the unit of the figure differs by system.
func peakMemory(*os.ProcessState) unit.Size { return 0 }
