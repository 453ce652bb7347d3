// Package grid is what a sweep asks for, as values: cells of a path, a traffic
// and an arm, their runs and seeds, the lots in which runs are made, and the row
// that each run becomes.
package grid

import (
	"unchoke/internal/lab/traffic"
	"unchoke/internal/path"
)

// Row is one finished run, a line of runs.csv.
type Row struct {
	Cell       int    // index into the grid: a path, a traffic and an arm
	Repetition int    // from 0
	Seed       uint64 // of the path's randomness; the same for all arms of a path and repetition
	Sweep      string // which of a file's sweeps it is of; empty where the file is one
	Path       path.Path
	Traffic    traffic.Spec
	Arm        Arm
	traffic.Result
}

// Arm is what the hosts do differently: a zero field is the host's default.
type Arm struct {
	CC      string
	Streams int
	// Neighbor is the congestion control of a second bulk flow beside the
	// measured one, empty for none; its rate is then in NeighborThroughput.
	Neighbor string
}
