package main

import (
	"fmt"
	"io"
	"math"
	"slices"

	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// ceiling is what was measured with one limit: stock iperf3 and the check by
// turns, so that what changes on the host changes for both.
type ceiling struct {
	target float64 // bit/s that the limit was chosen for
	cores  float64 // the limit
	ways   map[record.Direction]*way
}

// way is one direction's figures, in bit/s. Named has 0 where none was.
type way struct {
	iperf    []float64 // by turns with the checks
	named    []float64
	verdicts []finding.Cause
}

func newCeiling(target, cores float64) *ceiling {
	return &ceiling{target, cores, map[record.Direction]*way{record.Down: {}, record.Up: {}}}
}

// median is 0 of nothing.
func median(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	return stats.Median(xs)
}

// off is how far the named ceiling is from iperf3's, as a share of that; 1
// where none was named. Medians: a single run of a stream through a tunnel that
// stands still nine tenths of the time may catch a bad start.
func (w *way) off() float64 {
	named := slices.DeleteFunc(slices.Clone(w.named), func(rate float64) bool { return rate == 0 })
	if len(named) == 0 || median(w.iperf) == 0 {
		return 1
	}
	return math.Abs(median(named)/median(w.iperf) - 1)
}

// right is how many of the verdicts are cpu-bound.
func (w *way) right() int {
	n := 0
	for _, v := range w.verdicts {
		if v == finding.CPUBound {
			n++
		}
	}
	return n
}

// add takes one check's verdicts.
func (c *ceiling) add(said map[record.Direction]verdict) {
	for d, w := range c.ways {
		v := said[d]
		w.verdicts = append(w.verdicts, v.cause)
		w.named = append(w.named, v.ceiling)
	}
}

// carried is what iperf3 found, both ways.
func (c *ceiling) carried() float64 {
	return (median(c.ways[record.Down].iperf) + median(c.ways[record.Up].iperf)) / 2
}

// print shows one line a direction.
func (c *ceiling) print(w io.Writer) {
	for _, d := range record.Directions {
		way := c.ways[d]
		fmt.Fprintf(w, "%5.3f cores %-4s  iperf3 %6.1f  named %6.1f Mbit/s  off %4.1f %%  cpu-bound %d of %d\n",
			c.cores, d, median(way.iperf)/1e6, median(way.named)/1e6, 100*way.off(), way.right(), len(way.verdicts))
	}
}

// gates are what the bench must show.
type gates struct {
	ceilings int     // at least so many
	most     float64 // that a named ceiling is off
}

// judge lists what falls short.
func (g gates) judge(all []*ceiling, free []*way) []string {
	var short []string
	if len(all) < g.ceilings {
		short = append(short, fmt.Sprintf("%d ceilings, want %d", len(all), g.ceilings))
	}
	for _, c := range all {
		for _, d := range record.Directions {
			w := c.ways[d]
			if 2*w.right() <= len(w.verdicts) {
				short = append(short, fmt.Sprintf("%.3f cores, %s: called %v", c.cores, d, w.verdicts))
			} else if off := w.off(); off > g.most {
				short = append(short, fmt.Sprintf("%.3f cores, %s: the named ceiling is %.0f %% off", c.cores, d, 100*off))
			}
		}
	}
	for i, w := range free {
		if slices.Contains(w.verdicts, finding.CPUBound) {
			short = append(short, fmt.Sprintf("run %d without a limit: called %v", i+1, w.verdicts))
		}
	}
	return short
}
