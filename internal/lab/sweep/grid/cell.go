package grid

import (
	"unchoke/internal/lab/traffic"
	"unchoke/internal/path"
)

// Cell is one point of a grid: what is run Repeat times with different seeds.
type Cell struct {
	Index   int
	Sweep   string // the name of its sweep; empty where the file is one
	Base    uint64 // seed of its sweep
	Repeat  int
	Path    path.Path
	Traffic traffic.Spec
	Arm     Arm
	// Axes are its values of the grid's axes, as the file has them; empty where
	// its sweep does not have the key.
	Axes []string
}

// Seed is where the randomness of one of the cell's runs begins.
func (c Cell) Seed(repetition int) uint64 {
	return Seed(c.Base, c.Path.String(), TrafficText(c.Traffic), repetition)
}

// Grid is all cells of a file, in order: sweep by sweep, in each the paths'
// axes outermost and the arms' innermost, a section's axes as in the file.
type Grid struct {
	Axes  []string // names of the axes' columns
	Cells []Cell
}

// MaxRuns is how many runs a file may ask for, the exclusions left aside. It
// keeps the table of them in the memory of any host.
const MaxRuns = 10_000_000

// SweepColumn is the axis that a file of several sweeps has.
const SweepColumn = "sweep"
