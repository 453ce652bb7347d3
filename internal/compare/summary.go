package compare

import (
	"cmp"
	"math"

	"unchoke/internal/record"
	"unchoke/internal/stats"
	"unchoke/internal/wire"
)

// column is one arm's trials.
func column(blocks [][]record.Trial, arm int) []record.Trial {
	trials := make([]record.Trial, len(blocks))
	for b, block := range blocks {
		trials[b] = block[arm]
	}
	return trials
}

func summarise(arm int, label string, trials []record.Trial, seed uint64) Summary {
	s := Summary{Arm: arm, Label: label, Rates: each(trials, rate), Retransmits: -1, Drift: 1, DriftP: 1}
	s.Interval = stats.Interval{Low: 0, High: math.Inf(1)}
	if len(trials) == 0 {
		return s
	}
	s.Rate = stats.Median(s.Rates)
	if len(trials) > 1 { // one alone says nothing of how far others are
		s.Interval = stats.BootstrapMedian(s.Rates, confidence, seed)
		s.CV = stats.SD(s.Rates) / stats.Mean(s.Rates)
		s.Drift, s.DriftP = drift(s.Rates)
	}
	s.Bimodal = bimodal(s.Rates)
	s.Retransmits = retransmitRatio(trials)
	s.RTTLoad = medianKnown(each(trials, func(t record.Trial) float64 { return t.RTTLoad }))
	s.CPUNear = medianKnown(each(trials, func(t record.Trial) float64 { return perGB(t, t.CPUNear) }))
	s.CPUFar = medianKnown(each(trials, func(t record.Trial) float64 { return perGB(t, t.CPUFar) }))
	s.NeighborRate = medianKnown(each(trials, func(t record.Trial) float64 {
		if t.Neighbor == nil {
			return 0
		}
		return t.Neighbor.Rate
	}))
	s.Jain = medianKnown(each(trials, func(t record.Trial) float64 {
		if t.Neighbor == nil {
			return 0
		}
		return stats.Jain(rate(t), t.Neighbor.Rate)
	}))
	return s
}

func each(trials []record.Trial, of func(record.Trial) float64) []float64 {
	out := make([]float64, len(trials))
	for i, t := range trials {
		out[i] = of(t)
	}
	return out
}

// medianKnown is the median of the values above 0, which stands for unknown; 0
// where none is known.
func medianKnown(xs []float64) float64 {
	var known []float64
	for _, x := range xs {
		if x > 0 {
			known = append(known, x)
		}
	}
	if len(known) == 0 {
		return 0
	}
	return stats.Median(known)
}

// drift is the trend of rates, by block: the ratio of the run's end to its
// beginning by the Theil–Sen line through their logarithms, and Mann and
// Kendall's p.
func drift(rates []float64) (ratio, p float64) {
	blocks, logs := make([]float64, len(rates)), make([]float64, len(rates))
	for i, r := range rates {
		blocks[i], logs[i] = float64(i), math.Log(r)
	}
	return math.Exp(stats.TheilSen(blocks, logs) * float64(len(rates)-1)), stats.MannKendall(logs)
}

// A drift is worth a word where the rate changed by a tenth or more, and chance
// would show one as clear in one of a hundred runs at most: it is looked for in
// every arm.
const (
	driftRatio = 1.1
	driftP     = 0.01
)

func drifts(ratio, p float64) bool {
	return math.Abs(math.Log(ratio)) >= math.Log(driftRatio) && p <= driftP
}

// Drifts says whether the rate clearly changed over the run.
func (s Summary) Drifts() bool { return drifts(s.Drift, s.DriftP) }

// Two modes are worth a word where one carries this many times the other, and
// a single mode would look like it in one of twenty samples at most.
const (
	modesApart = 1.5
	modesP     = 0.05
)

func bimodal(rates []float64) bool {
	logs := make([]float64, len(rates))
	least, most := math.Inf(1), math.Inf(-1)
	for i, r := range rates {
		logs[i] = math.Log(r)
		least, most = min(least, logs[i]), max(most, logs[i])
	}
	if most-least < math.Log(modesApart) {
		return false
	}
	m := stats.TwoModes(logs)
	return m.High-m.Low >= math.Log(modesApart) && m.P <= modesP
}

// retransmitRatio is the share of all segments that were sent again; -1 where
// no sender could tell.
func retransmitRatio(trials []record.Trial) float64 {
	again, segments := 0.0, 0.0
	for _, t := range trials {
		if t.Retransmits >= 0 {
			again += float64(t.Retransmits)
			segments += float64(t.Bytes) / float64(cmp.Or(t.MSS, wire.Segment))
		}
	}
	if segments == 0 {
		return -1
	}
	return again / (segments + again)
}

// perGB is CPU seconds for 10⁹ bytes, from a share of a core; 0 where unknown.
func perGB(t record.Trial, share float64) float64 {
	if t.Bytes == 0 {
		return 0
	}
	return share * t.Duration / float64(t.Bytes) * 1e9
}
