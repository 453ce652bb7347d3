package sweep

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"unchoke/internal/stats"
	"unchoke/internal/unit"
)

// runID names a run of a grid.
type runID struct{ cell, repetition int }

// lot is a part of a grid whose batches are made one after the other; lots are
// made side by side, on any number of CPUs and hosts. Which runs share a lot
// and a batch follows from the file, never from who makes them: a machine that
// some earlier run had left in another state would then still be the same
// machine in every repetition of the sweep.
type lot struct {
	// runs are those of a sweep that runs every repetition: one batch.
	runs []runID
	// cells are those of a sweep that stops a cell when its interval is tight:
	// a batch or more a round.
	cells []int
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

// plan divides a grid into lots.
func plan(cells []Cell, untilCI unit.Ratio) []lot {
	var runs int
	var total time.Duration
	for _, c := range cells {
		runs += c.Repeat
		total += time.Duration(c.Repeat) * c.Traffic.Duration
	}
	most := min(maxBatchRuns, max(minBatchRuns, (runs+batchesAGrid-1)/batchesAGrid))
	limit := min(maxBatchTime, max(total/batchesAGrid, total/time.Duration(max(runs, 1))*minBatchRuns))
	var lots []lot
	if untilCI > 0 {
		for first := 0; first < len(cells); {
			l := lot{size: most}
			for n := 0; first < len(cells) && (n == 0 || n+leastRepeat <= most); n += leastRepeat {
				l.cells = append(l.cells, first)
				first++
			}
			lots = append(lots, l)
		}
		return lots
	}
	var l lot
	var filled time.Duration
	for i, c := range cells {
		for rep := range c.Repeat {
			if len(l.runs) > 0 && (len(l.runs) == most || filled+c.Traffic.Duration > limit) {
				lots = append(lots, l)
				l, filled = lot{}, 0
			}
			l.runs = append(l.runs, runID{i, rep})
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
type outcome func(runID) (throughput float64, done bool)

// next is the batch that the lot needs, given what is done; nil means that it
// is complete. Some of the batch may be done already: then it was interrupted.
func (l lot) next(cells []Cell, untilCI unit.Ratio, of outcome) []runID {
	if l.runs != nil {
		return unlessDone(l.runs, of)
	}
	active := l.cells
	for n := 0; len(active) > 0; {
		var round []runID
		var more []int
		last := n
		for _, i := range active {
			look := nextLook(n, cells[i].Repeat)
			last = max(last, look)
			for rep := n; rep < look; rep++ {
				round = append(round, runID{i, rep})
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

func unlessDone(runs []runID, of outcome) []runID {
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
		xs[rep], _ = of(runID{cell, rep})
	}
	return xs
}

// tight says whether the interval of the mean is within ± a share of it.
func tight(xs []float64, share unit.Ratio) bool {
	interval := stats.MeanInterval(xs, confidence)
	return (interval.High-interval.Low)/2 <= float64(share)*math.Abs(stats.Mean(xs))
}

// Shard is a part of a sweep, for one of many hosts: the I-th of N. The zero
// value is the whole.
type Shard struct{ I, N int }

// maxShards is more than any cluster takes array jobs.
const maxShards = 1_000_000

// ParseShard reads I/N, from 1/N to N/N.
func ParseShard(v string) (Shard, error) {
	first, count, ok := strings.Cut(v, "/")
	i, err1 := strconv.Atoi(first)
	n, err2 := strconv.Atoi(count)
	if !ok || err1 != nil || err2 != nil || n < 1 || n > maxShards || i < 1 || i > n {
		return Shard{}, fmt.Errorf("%q is no shard: I/N from 1/N to N/N, such as 2/4", v)
	}
	return Shard{i, n}, nil
}

// String is I/N, or empty for the whole.
func (s Shard) String() string {
	if s.N == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.I, s.N)
}

// of is the shard's part of the lots. Every N-th: neighbours in a grid take
// alike long.
func (s Shard) of(lots []lot) []lot {
	if s.N == 0 {
		return lots
	}
	var mine []lot
	for i := s.I - 1; i < len(lots); i += s.N {
		mine = append(mine, lots[i])
	}
	return mine
}
