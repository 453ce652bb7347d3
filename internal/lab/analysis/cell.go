package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"unchoke/internal/lab/sweep/grid"
	"unchoke/internal/lab/traffic"
	"unchoke/internal/path"
	"unchoke/internal/stats"
	"unchoke/internal/unit"
)

// Cell is all runs of one path, traffic and arm.
type Cell struct {
	Sweep   string       `json:"sweep,omitempty"` // its name where a file has several
	Path    path.Path    `json:"path"`
	Traffic string       `json:"traffic"` // what of it differs from other cells'
	Arm     string       `json:"arm"`
	CC      string       `json:"cc"`
	Spec    traffic.Spec `json:"-"`
	Sides   grid.Arm     `json:"-"`

	RTT         float64 `json:"rtt_s"`
	Jitter      float64 `json:"jitter_s"` // the larger direction's
	JitterRatio float64 `json:"jitter_rtt_ratio"`
	Loss        float64 `json:"loss_ratio"` // of the direction in which data travels

	Throughput Sample `json:"throughput"`
	Bimodal    bool   `json:"bimodal"` // only asked of at least ModesFrom runs in the chaos zone
	Runs       []Run  `json:"runs"`

	Retransmitted float64 `json:"retransmit_ratio"` // of segments sent
	// Spurious is the share of retransmits that DSACKs told were needless, -1
	// where nothing was retransmitted.
	Spurious   float64 `json:"spurious_ratio"`
	Reordering float64 `json:"reordering_events"` // mean a run
	Timeouts   float64 `json:"timeouts"`          // mean a run
	Cwnd       float64 `json:"cwnd_segments"`     // mean of the runs' means
	RTTUnder   float64 `json:"mean_rtt_s"`        // the sender's smoothed RTT, mean
	Gap        Gap     `json:"gap"`
	Stalled    float64 `json:"stalled_s"` // mean a run, of chunked traffic
	// Failed is how many of the runs lost a connection, or never had one. They
	// count with what they carried.
	Failed int `json:"failed_runs"`

	Reference *Reference `json:"reference,omitempty"` // the article's figure
}

// Run is what a plot shows of one run.
type Run struct {
	Repetition  int     `json:"repetition"`
	Seed        uint64  `json:"-"`
	Throughput  float64 `json:"throughput_bps"`
	Retransmits int64   `json:"retransmits"`
	Spurious    int64   `json:"spurious"`
	Neighbor    float64 `json:"neighbor_bps,omitempty"` // of the flow beside it
}

// Gap is how long packets and reads are apart.
type Gap struct {
	Packets float64 `json:"packets_s"`  // mean time between two sent segments
	P50     float64 `json:"read_p50_s"` // between two reads that returned bytes: medians over runs
	P99     float64 `json:"read_p99_s"`
	Max     float64 `json:"read_max_s"`
}

// Sample summarises the runs' throughput in bit/s.
type Sample struct {
	N    int     `json:"runs"`
	Mean float64 `json:"mean_bps"`
	// Interval is the mean's 95 % one, Student's t. There is none of a single
	// run, nor of runs that are all the same: on a path with nothing random they
	// are one run made again, and say nothing of what others may come to.
	Interval *stats.Interval `json:"mean_interval_bps,omitempty"`
	Median   float64         `json:"median_bps"`
	CV       float64         `json:"cv_ratio"` // standard deviation over mean; -1 of a single run
	Min      float64         `json:"min_bps"`
	Max      float64         `json:"max_bps"`
}

func sample(xs []float64) Sample {
	s := Sample{N: len(xs), Mean: stats.Mean(xs), Median: stats.Median(xs), CV: -1, Min: slices.Min(xs), Max: slices.Max(xs)}
	if s.N > 1 {
		if s.Max > s.Min {
			interval := stats.MeanInterval(xs, confidence)
			interval.Low = max(0, interval.Low)
			s.Interval = &interval
		}
		if s.Mean > 0 {
			s.CV = stats.SD(xs) / s.Mean
		}
	}
	return s
}

// condition is what makes a cell: runs that share it differ by chance alone.
type condition struct {
	path  path.Path
	spec  traffic.Spec
	sides grid.Arm
}

func conditionOf(r grid.Row) condition { return condition{r.Path, r.Traffic, r.Arm} }

func (c *Cell) condition() condition { return condition{c.Path, c.Spec, c.Sides} }

// places finds a cell by its condition.
func places(all []Cell) map[condition]int {
	at := map[condition]int{}
	for i := range all {
		at[all[i].condition()] = i
	}
	return at
}

// cells groups the rows, in the order of their cells, and says what all of
// their traffic has in common.
func cells(rows []grid.Row) (all []Cell, common string) {
	at := map[condition]int{}
	var groups [][]grid.Row
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b grid.Row) int {
		return cmp.Or(cmp.Compare(a.Cell, b.Cell), cmp.Compare(a.Repetition, b.Repetition))
	})
	var specs []traffic.Spec
	for _, r := range rows {
		c := conditionOf(r)
		i, known := at[c]
		if !known {
			i = len(groups)
			at[c] = i
			groups = append(groups, nil)
			specs = append(specs, r.Traffic)
		}
		// Two sweeps of one study may share a cell. The same seed is the same
		// run, which must not count twice.
		if !slices.ContainsFunc(groups[i], func(q grid.Row) bool { return q.Seed == r.Seed }) {
			groups[i] = append(groups[i], r)
		}
	}
	all = []Cell{}
	labels, common := trafficLabels(specs)
	for _, g := range groups {
		all = append(all, newCell(g, labels[g[0].Traffic]))
	}
	return all, common
}

func newCell(rows []grid.Row, label string) Cell {
	first := rows[0]
	c := Cell{
		Sweep: first.Sweep, Path: first.Path, Traffic: label, Arm: armLabel(first), CC: first.CC, Spec: first.Traffic, Sides: first.Arm,
		RTT:    first.Path.RTT().Seconds(),
		Jitter: max(first.Path.Up.Jitter, first.Path.Down.Jitter).Seconds(),
		Loss:   float64(first.Path.Up.Loss.Mean()),
	}
	if c.RTT > 0 {
		c.JitterRatio = c.Jitter / c.RTT
	}
	var rates []float64
	var segments, retransmits, spurious int64
	for _, r := range rows {
		rates = append(rates, r.Throughput)
		c.Runs = append(c.Runs, Run{r.Repetition, r.Seed, r.Throughput, r.Retransmits, r.Spurious, r.NeighborThroughput})
		segments += r.Segments
		retransmits += r.Retransmits
		spurious += r.Spurious
		if r.Failed != "" {
			c.Failed++
		}
	}
	n := float64(len(rows))
	mean := func(of func(grid.Row) float64) float64 {
		sum := 0.0
		for _, r := range rows {
			sum += of(r)
		}
		return sum / n
	}
	median := func(of func(grid.Row) time.Duration) float64 {
		var xs []float64
		for _, r := range rows {
			xs = append(xs, of(r).Seconds())
		}
		return stats.Median(xs)
	}
	c.Throughput = sample(rates)
	c.Bimodal = c.Throughput.CV >= ChaosCV && twoModes(rates)
	c.Retransmitted, c.Spurious = share(retransmits, segments, 0), share(spurious, retransmits, -1)
	c.Reordering = mean(func(r grid.Row) float64 { return float64(r.Reordering) })
	c.Timeouts = mean(func(r grid.Row) float64 { return float64(r.Timeouts) })
	c.Cwnd = mean(func(r grid.Row) float64 { return r.MeanCwnd })
	c.RTTUnder = mean(func(r grid.Row) float64 { return r.MeanRTT.Seconds() })
	c.Stalled = mean(func(r grid.Row) float64 { return r.Stalled.Seconds() })
	c.Gap = Gap{
		P50: median(func(r grid.Row) time.Duration { return r.GapP50 }),
		P99: median(func(r grid.Row) time.Duration { return r.GapP99 }),
		Max: median(func(r grid.Row) time.Duration { return r.GapMax }),
	}
	if segments > 0 {
		c.Gap.Packets = n * mean(func(r grid.Row) float64 { return r.Elapsed.Seconds() }) / float64(segments)
	}
	return c
}

// share is part over whole, or otherwise of an empty whole. The kernel counts
// DSACKs and retransmits apart, so that a share may seem more than all.
func share(part, whole int64, otherwise float64) float64 {
	if whole <= 0 {
		return otherwise
	}
	return min(float64(part)/float64(whole), 1)
}

// armLabel names an arm: its congestion control, and what else is peculiar.
func armLabel(r grid.Row) string {
	label := cmp.Or(r.Arm.CC, r.CC)
	if r.Arm.Streams > 1 {
		label += fmt.Sprintf(" ×%d", r.Arm.Streams)
	}
	if r.Arm.Neighbor != "" {
		label += " beside " + r.Arm.Neighbor
	}
	return label
}

// trafficLabels names each traffic by what it does not share with all others,
// and says what they share.
func trafficLabels(specs []traffic.Spec) (labels map[traffic.Spec]string, common string) {
	labels = map[traffic.Spec]string{}
	shared := map[string]int{}
	for _, s := range specs {
		for _, item := range trafficItems(s) {
			shared[item]++
		}
	}
	for _, s := range specs {
		var own, all []string
		for _, item := range trafficItems(s) {
			if shared[item] == len(specs) {
				all = append(all, item)
			} else {
				own = append(own, item)
			}
		}
		labels[s], common = strings.Join(own, ", "), strings.Join(all, ", ")
	}
	return labels, common
}

// trafficItems says a traffic's parts, those left at zero excepted.
func trafficItems(s traffic.Spec) []string {
	items := []string{string(s.Kind)}
	add := func(ok bool, format string, args ...any) {
		if ok {
			items = append(items, fmt.Sprintf(format, args...))
		}
	}
	add(s.Rate > 0, "%s", RateWords(s.Rate))
	add(s.Write > 0, "writes of %s", s.Write.Human())
	add(s.CatchUp, "catching up")
	add(s.Chunk > 0, "chunks of %v", s.Chunk)
	add(s.SendBuffer > 0, "send buffer %s", s.SendBuffer.Human())
	add(s.ReceiveBuffer > 0, "receive buffer %s", s.ReceiveBuffer.Human())
	add(s.Read > 0, "reads of %s", s.Read.Human())
	add(s.ReadEvery > 0, "every %v", s.ReadEvery)
	add(s.Duration > 0, "for %v", s.Duration)
	add(s.Omit > 0, "the first %v left out", s.Omit)
	return items
}

// RateWords writes a rate as it was probably asked for: 10 MiB/s.
func RateWords(r unit.BitRate) string {
	const mebibyte = unit.BitRate(8 << 20)
	if r%mebibyte == 0 {
		return fmt.Sprintf("%d MiB/s", r/mebibyte)
	}
	return r.Human()
}
