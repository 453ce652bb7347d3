package grid

import (
	"math"
	"time"

	"unchoke/internal/stats"
	"unchoke/internal/unit"
)

// RunID names a run of a grid.
type RunID struct{ Cell, Repetition int }

// Lot is a part of a grid whose batches are made one after the other; lots are
// made side by side, on any number of CPUs and hosts. Which runs share a lot
// and a batch follows from the file, never from who makes them: a machine that
// some earlier run had left in another state would then still be the same
// machine in every repetition of the sweep.
type Lot struct {
	// runs are those of a sweep that runs every repetition: one batch.
	runs []RunID
	// Cells are those of a sweep that stops a cell when its interval is tight:
	// a batch or more a round.
	Cells []int
	size  int // runs a batch of a round, at most
}

// Sizes of a batch. A boot takes as long as some two runs of the article's, so
// a batch has many times that, but a small grid keeps several CPUs busy.
const (
	maxBatchTime = 16 * time.Minute // of virtual time
	maxBatchRuns = 256
	batchesAGrid = 8 // at least, where each then has minBatchRuns
	minBatchRuns = 8
)

// Lots divides a grid into lots.
func Lots(cells []Cell, untilCI unit.Ratio) []Lot {
	var runs int
	var total time.Duration
	for _, c := range cells {
		runs += c.Repeat
		total += time.Duration(c.Repeat) * c.Traffic.Duration
	}
	most := min(maxBatchRuns, max(minBatchRuns, (runs+batchesAGrid-1)/batchesAGrid))
	limit := min(maxBatchTime, max(total/batchesAGrid, total/time.Duration(max(runs, 1))*minBatchRuns))
	var lots []Lot
	if untilCI > 0 {
		for first := 0; first < len(cells); {
			l := Lot{size: most}
			for n := 0; first < len(cells) && (n == 0 || n+leastRepeat <= most); n += leastRepeat {
				l.Cells = append(l.Cells, first)
				first++
			}
			lots = append(lots, l)
		}
		return lots
	}
	var l Lot
	var filled time.Duration
	for i, c := range cells {
		for rep := range c.Repeat {
			if len(l.runs) > 0 && (len(l.runs) == most || filled+c.Traffic.Duration > limit) {
				lots = append(lots, l)
				l, filled = Lot{}, 0
			}
			l.runs = append(l.runs, RunID{i, rep})
			filled += c.Traffic.Duration
		}
	}
	return append(lots, l)
}

// leastRepeat is how many runs a cell has before its interval is looked at for
// the first time.
const leastRepeat = 5

// nextLook is how many runs a cell has at the look after the one at n: half
// again as many, so that looks are few. Each look is a chance to stop too
// early; with six of them up to 41 runs the 95 % interval at the stop covers
// the truth somewhat less often than 95 times in 100.
func nextLook(n, repeat int) int {
	if n == 0 {
		return min(leastRepeat, repeat)
	}
	return min(n+(n+1)/2, repeat)
}

// outcome is a run's throughput in bit/s, if it is done.
type outcome func(RunID) (throughput float64, done bool)

// Next is the batch that the lot needs, given what is done; nil means that it
// is complete. Some of the batch may be done already: then it was interrupted.
func (l Lot) Next(cells []Cell, untilCI unit.Ratio, of outcome) []RunID {
	if l.runs != nil {
		return unlessDone(l.runs, of)
	}
	active := l.Cells
	for n := 0; len(active) > 0; {
		var round []RunID
		var more []int
		last := n
		for _, i := range active {
			look := nextLook(n, cells[i].Repeat)
			last = max(last, look)
			for rep := n; rep < look; rep++ {
				round = append(round, RunID{i, rep})
			}
		}
		for from := 0; from < len(round); from += l.size {
			if batch := unlessDone(round[from:min(from+l.size, len(round))], of); batch != nil {
				return batch
			}
		}
		for _, i := range active {
			if last < cells[i].Repeat && !tight(throughputs(i, last, of), untilCI) {
				more = append(more, i)
			}
		}
		active, n = more, last
	}
	return nil
}

func unlessDone(runs []RunID, of outcome) []RunID {
	for _, r := range runs {
		if _, done := of(r); !done {
			return runs
		}
	}
	return nil
}

// throughputs are those of a cell's first n runs.
func throughputs(cell, n int, of outcome) []float64 {
	xs := make([]float64, n)
	for rep := range xs {
		xs[rep], _ = of(RunID{cell, rep})
	}
	return xs
}

// Confidence of the intervals of means.
const Confidence = 0.95

// tight says whether the interval of the mean is within ± a share of it.
func tight(xs []float64, share unit.Ratio) bool {
	interval := stats.MeanInterval(xs, Confidence)
	return (interval.High-interval.Low)/2 <= float64(share)*math.Abs(stats.Mean(xs))
}

// Planned is how many runs the lots have at most.
func Planned(lots []Lot, cells []Cell) int {
	n := 0
	for _, l := range lots {
		n += len(l.runs)
		for _, c := range l.Cells {
			n += cells[c].Repeat
		}
	}
	return n
}
