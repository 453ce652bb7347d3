package analysis

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"unchoke/internal/path"
	"unchoke/internal/stats"
)

// Answer is what a contrast comes to.
type Answer string

const (
	Faster  Answer = "faster"  // the ratio is above SameMargin, all of its interval above 1
	Slower  Answer = "slower"  // the other way round
	Same    Answer = "same"    // there is no difference of more than SameMargin
	Unclear Answer = "unclear" // the runs do not tell
)

// SameMargin is the ratio of throughputs that a difference must exceed to
// matter to anyone who chooses a congestion control.
const SameMargin = 1.1

// baseline is the congestion control that others are held against: Linux's
// default.
const baseline = "cubic"

// Contrast is a congestion control against CUBIC on one path and traffic.
type Contrast struct {
	Base  int    `json:"base_cell"`
	Other int    `json:"other_cell"`
	CC    string `json:"cc"` // the other's
	// Ratio is of the mean throughputs, the other's over CUBIC's. Its interval
	// is the 95 % bootstrap over repetitions, paired where both arms ran the
	// same ones under the same random numbers.
	Ratio    float64         `json:"ratio"`
	Interval *stats.Interval `json:"interval,omitempty"`
	Answer   Answer          `json:"answer"`
}

func contrasts(all []Cell) []Contrast {
	base := map[condition]int{}
	for i := range all {
		if all[i].Sides.CC == baseline {
			base[all[i].besides()] = i
		}
	}
	out := []Contrast{}
	for i := range all {
		c := &all[i]
		b, ok := base[c.besides()]
		if c.Sides.CC == baseline || c.Sides.CC == "" || !ok || all[b].Throughput.Mean <= 0 || c.Throughput.Mean <= 0 {
			continue
		}
		out = append(out, contrast(all, b, i, len(out)))
	}
	return out
}

// besides is a cell's condition without its congestion control.
func (c *Cell) besides() condition {
	besides := c.condition()
	besides.sides.CC = ""
	return besides
}

func contrast(all []Cell, base, other, stream int) Contrast {
	a, b := &all[base], &all[other]
	c := Contrast{Base: base, Other: other, CC: b.CC, Ratio: b.Throughput.Mean / a.Throughput.Mean, Answer: Unclear}
	if a.Throughput.N < 2 || b.Throughput.N < 2 {
		return c
	}
	pairs := sameSeeds(a.Runs, b.Runs)
	x, y := newLogMeans(rates(a.Runs)), newLogMeans(rates(b.Runs))
	random := newRandom(stream)
	logs := make([]float64, replicas)
	for i := range logs {
		if pairs {
			logs[i] = pairedDraw(x, y, random)
		} else {
			logs[i] = y.draw(random) - x.draw(random)
		}
	}
	between := middle95(logs)
	between.Low, between.High = math.Exp(between.Low), math.Exp(between.High)
	c.Interval = &between
	c.Answer = answer(c.Ratio, between)
	return c
}

// answer reads a ratio and its interval.
func answer(ratio float64, i stats.Interval) Answer {
	switch {
	case i.Low >= 1/SameMargin && i.High <= SameMargin:
		return Same
	case i.Low <= 1 && i.High >= 1:
		return Unclear
	case ratio > SameMargin:
		return Faster
	case ratio < 1/SameMargin:
		return Slower
	}
	return Same
}

func sameSeeds(a, b []Run) bool {
	return slices.EqualFunc(a, b, func(x, y Run) bool { return x.Seed == y.Seed })
}

// pairedDraw resamples repetitions, the same of both arms.
func pairedDraw(x, y logMeans, random *rand.Rand) float64 {
	var sumX, sumY float64
	for range x.xs {
		i := random.IntN(len(x.xs))
		sumX += x.xs[i]
		sumY += y.xs[i]
	}
	return y.replica(sumY) - x.replica(sumX)
}

func rates(runs []Run) []float64 {
	out := make([]float64, len(runs))
	for i, r := range runs {
		out[i] = r.Throughput
	}
	return out
}

// RatioMap lays contrasts out by RTT and one impairment.
type RatioMap struct {
	CC      string `json:"cc"`
	Traffic string `json:"traffic"`
	// Path is what all of its paths have beside what the map draws, as text:
	// rate=50mbit,queue=1bdp. It is empty where they have nothing else.
	Path    string     `json:"path,omitempty"`
	Order   path.Order `json:"order,omitempty"`
	Axis    Axis       `json:"axis"`
	Columns []float64  `json:"columns"` // jitter in seconds, or loss
	RTTs    []float64  `json:"rtts_s"`
	// At has a contrast's index for each RTT and column, -1 where there is none.
	At [][]int `json:"contrasts"`
}

// mapKey is what the contrasts of one map share.
type mapKey struct {
	condition
	cc    string
	axis  Axis
	order path.Order
	dist  path.Dist
}

// ratioMaps lays the contrasts out. A map needs two columns; the cells without
// any impairment are in each of both kinds.
func ratioMaps(all []Cell, list []Contrast) []RatioMap {
	type place struct{ rtt, column float64 }
	found := map[mapKey]map[place]int{}
	var keys []mapKey
	put := func(key mapKey, p place, i int) {
		if found[key] == nil {
			found[key] = map[place]int{}
			keys = append(keys, key)
		}
		found[key][p] = i
	}
	clean := map[mapKey]map[place]int{}
	for i, c := range list {
		cell := &all[c.Other]
		key := mapKey{condition: cell.besides(), cc: c.CC}
		for _, d := range []*path.Direction{&key.path.Up, &key.path.Down} {
			d.Delay, d.Jitter, d.Dist, d.Order, d.Loss = 0, 0, "", "", path.Loss{}
		}
		switch {
		case cell.scheduled(): // its jitter and loss are not those of all times
		case cell.Jitter == 0 && cell.Loss == 0:
			if clean[key] == nil {
				clean[key] = map[place]int{}
			}
			clean[key][place{cell.RTT, 0}] = i
		case cell.Loss == 0:
			key.axis, key.order, key.dist = AlongJitter, cell.Path.Up.Order, cell.Path.Up.Dist
			put(key, place{cell.RTT, cell.Jitter}, i)
		case cell.Jitter == 0:
			key.axis = AlongLoss
			put(key, place{cell.RTT, cell.Loss}, i)
		}
	}
	maps := []RatioMap{}
	for _, key := range keys {
		plain := key
		plain.axis, plain.order, plain.dist = "", "", ""
		rtts := map[float64]bool{}
		for p := range found[key] {
			rtts[p.rtt] = true
		}
		for p, i := range clean[plain] {
			if rtts[p.rtt] {
				found[key][p] = i
			}
		}
		m := RatioMap{CC: key.cc, Axis: key.axis, Order: key.order, Path: notDrawn(key)}
		for p, i := range found[key] {
			m.Columns, m.RTTs, m.Traffic = append(m.Columns, p.column), append(m.RTTs, p.rtt), all[list[i].Other].Traffic
		}
		m.Columns, m.RTTs = distinct(m.Columns), distinct(m.RTTs)
		if len(m.Columns) < 2 {
			continue
		}
		for _, rtt := range m.RTTs {
			row := make([]int, len(m.Columns))
			for j, column := range m.Columns {
				row[j] = -1
				if i, ok := found[key][place{rtt, column}]; ok {
					row[j] = i
				}
			}
			m.At = append(m.At, row)
		}
		maps = append(maps, m)
	}
	return maps
}

// notDrawn is what the paths of a map share, as items of a path's text.
func notDrawn(key mapKey) string {
	items := slices.DeleteFunc(strings.Split(key.path.String(), ","), func(item string) bool {
		return item == "" || strings.HasPrefix(item, "rtt=")
	})
	if key.dist != "" && key.dist != path.Normal {
		items = append(items, "dist="+string(key.dist))
	}
	return strings.Join(items, ",")
}

func distinct[T cmp.Ordered](xs []T) []T {
	slices.Sort(xs)
	return slices.Compact(xs)
}

// Reorder is one arm on two paths that differ in whether jitter may reorder
// packets.
type Reorder struct {
	Free int `json:"free_cell"`
	Keep int `json:"keep_cell"`
}

// orders pairs the cells of both orders.
func orders(all []Cell) []Reorder {
	kept := map[condition]int{}
	ordered := func(c *Cell, o path.Order) condition {
		on := c.condition()
		on.path.Up.Order, on.path.Down.Order = o, o
		return on
	}
	for i := range all {
		if all[i].Path.Up.Order == path.Keep {
			kept[ordered(&all[i], path.Keep)] = i
		}
	}
	out := []Reorder{}
	for i := range all {
		if all[i].Path.Up.Order != path.Free {
			continue
		}
		if k, ok := kept[ordered(&all[i], path.Keep)]; ok {
			out = append(out, Reorder{i, k})
		}
	}
	return out
}
