package analysis

import (
	"slices"

	"unchoke/internal/stats"
)

// Takes says whether streams take their part of what they share.
type Takes string

const (
	More    Takes = "more"    // the interval of the share is above an equal one
	Less    Takes = "less"    // it is below
	NotTold Takes = "unclear" // it has an equal share in it, or there is none
)

// Sharing is how a cell's streams and the flow beside them divided what both
// got.
type Sharing struct {
	Cell     int     `json:"cell"`
	Neighbor string  `json:"neighbor_cc"`
	Rate     float64 `json:"neighbor_bps"` // mean of the neighbor's throughput
	// Share is the measured streams' part of the sum, mean over the runs; Equal
	// is what it would be were all streams equal.
	Share    float64         `json:"share_ratio"`
	Equal    float64         `json:"equal_ratio"`
	Interval *stats.Interval `json:"share_interval,omitempty"` // as Sample.Interval
	Takes    Takes           `json:"takes"`
}

// sharings are the cells with a neighbor.
func sharings(all []Cell) []Sharing {
	out := []Sharing{}
	for i := range all {
		c := &all[i]
		if c.Sides.Neighbor == "" {
			continue
		}
		var shares, theirs []float64
		for _, r := range c.Runs {
			if sum := r.Throughput + r.Neighbor; sum > 0 {
				shares, theirs = append(shares, r.Throughput/sum), append(theirs, r.Neighbor)
			}
		}
		if len(shares) == 0 {
			continue
		}
		streams := float64(max(1, c.Sides.Streams))
		s := Sharing{
			Cell: i, Neighbor: c.Sides.Neighbor, Rate: stats.Mean(theirs),
			Share: stats.Mean(shares), Equal: streams / (streams + 1), Takes: NotTold,
		}
		if slices.Max(shares) > slices.Min(shares) {
			interval := stats.MeanInterval(shares, confidence)
			interval.Low, interval.High = max(0, interval.Low), min(1, interval.High)
			s.Interval = &interval
			switch {
			case interval.Low > s.Equal:
				s.Takes = More
			case interval.High < s.Equal:
				s.Takes = Less
			}
		}
		out = append(out, s)
	}
	return out
}
