// Package analysis turns the rows of a sweep into the figures that a study of
// congestion control asks for: retention against jitter with each curve's
// cliff, how far repeated runs scatter, what loss costs beside what theory
// expects, which congestion control carries more where, and how all of it
// agrees with what others measured. It is pure: rows in, figures out, and the
// same rows give the same figures.
package analysis

import (
	"slices"

	"unchoke/internal/lab/sweep/grid"
	"unchoke/internal/lab/traffic"
)

// Study is a finished sweep, or several over the same traffic.
type Study struct {
	Name   string
	Rows   []grid.Row
	Series []Series
}

// Series is the sender's TCP_INFO over one run.
type Series struct {
	Row     grid.Row
	Samples []traffic.Sample
}

// Figures are all that is derived of a study. Indices point into Cells and
// Contrasts.
type Figures struct {
	Name    string `json:"name"`
	Runs    int    `json:"runs"`
	Traffic string `json:"traffic"` // what all cells have in common
	Cells   []Cell `json:"cells"`
	// Jitter has a curve for every series of cells that differ in their jitter
	// alone and have a jitter-free one to be compared with, Loss the same for
	// random loss.
	Jitter []Curve `json:"jitter_curves"`
	Loss   []Curve `json:"loss_curves"`
	// Chaos are the cells whose runs scatter widely, the wildest first.
	Chaos     []int      `json:"chaos_cells"`
	Contrasts []Contrast `json:"contrasts"`
	Maps      []RatioMap `json:"ratio_maps"`
	Profiles  []Profile  `json:"profiles"`
	Sharing   []Sharing  `json:"sharing"`
	// Buffers has a curve for every series of cells that differ in the size of
	// one socket buffer alone.
	Buffers   []BufferCurve `json:"buffer_curves"`
	Guide     []Advice      `json:"guide"`
	Orders    []Reorder     `json:"orders"`
	Varying   []Varying     `json:"varying"`
	Traces    []Trace       `json:"traces"`
	Agreement Agreement     `json:"agreement"`
}

// Analyse derives the figures.
func Analyse(s Study) Figures {
	f := Figures{Name: s.Name}
	f.Cells, f.Traffic = cells(s.Rows)
	for _, c := range f.Cells {
		f.Runs += len(c.Runs)
	}
	f.Jitter = jitterCurves(f.Cells)
	f.Loss = lossCurves(f.Cells)
	f.Chaos = chaos(f.Cells)
	f.Contrasts = contrasts(f.Cells)
	f.Maps = ratioMaps(f.Cells, f.Contrasts)
	f.Profiles = profiles(f.Cells, f.Contrasts)
	f.Sharing = sharings(f.Cells)
	f.Buffers = bufferCurves(f.Cells)
	f.Guide = guide(f.Cells, f.Contrasts)
	f.Orders = orders(f.Cells)
	f.Varying = varying(f.Cells, s.Series)
	f.Traces = traces(f.Cells, s.Series, f.Jitter)
	f.Agreement = agree(f.Cells)
	return f
}

// ChaosCV is the coefficient of variation from which a single run says little
// of its cell: the article's chaos zone begins at 0.21 for CUBIC.
const ChaosCV = 0.2

// chaos lists the cells in the chaos zone.
func chaos(all []Cell) []int {
	wild := []int{}
	for i := range all {
		if all[i].Throughput.CV >= ChaosCV {
			wild = append(wild, i)
		}
	}
	slices.SortStableFunc(wild, func(a, b int) int {
		if all[a].Throughput.CV > all[b].Throughput.CV {
			return -1
		}
		return 1
	})
	return wild
}
