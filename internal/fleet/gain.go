package fleet

import (
	"math"

	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// Rates are what one stream carried on a host's path, in bit/s, in several
// measurements of each direction as this host sees it: down is what the fleet's
// host sends. Records are those that have them.
type Rates struct {
	Down    []float64 `json:"down_bps"`
	Up      []float64 `json:"up_bps"`
	Records []string  `json:"records,omitempty"`
}

// add joins more measurements.
func (r *Rates) add(more Rates) {
	r.Down = append(r.Down, more.Down...)
	r.Up = append(r.Up, more.Up...)
	r.Records = append(r.Records, more.Records...)
}

// Answer is what a change did to a path.
type Answer string

// The answers.
const (
	Faster  Answer = "faster"
	Slower  Answer = "slower"
	Same    Answer = "same"    // no change larger than noise
	Unclear Answer = "unclear" // one may or may not be there
)

// Gain is how one direction's rates after a change compare with those before.
type Gain struct {
	Direction record.Direction `json:"direction"`
	Before    float64          `json:"before_bps"` // median
	After     float64          `json:"after_bps"`
	Ratio     float64          `json:"ratio"` // after over before: Hodges and Lehmann's
	Interval  stats.Interval   `json:"interval"`
	P         float64          `json:"p"` // of the exact rank-sum test, two-sided
	Answer    Answer           `json:"answer"`
	// Suspicious says that it looks slower, and more measurements shall tell.
	Suspicious bool `json:"suspicious,omitempty"`
}

// NewGain judges one direction.
func NewGain(d record.Direction, before, after []float64) Gain {
	g := Gain{Direction: d, Answer: Unclear, P: 1, Interval: stats.Interval{Low: 0, High: math.Inf(1)}}
	if len(before) == 0 || len(after) == 0 {
		return g
	}
	g.Before, g.After = stats.Median(before), stats.Median(after)
	was, is := logs(before), logs(after)
	g.P = stats.RankSum(was, is)
	shift, i := stats.Shift(was, is, confidence)
	g.Ratio = math.Exp(shift)
	g.Interval = stats.Interval{Low: math.Exp(i.Low), High: math.Exp(i.High)}
	low, high := 1/(1+noise), 1+noise
	switch {
	case g.Interval.Low >= low && g.Interval.High <= high:
		g.Answer = Same
	case g.Ratio > high && g.P <= suspicious:
		g.Answer = Faster
	case g.Ratio < low && g.P <= certain:
		g.Answer = Slower
	case g.Ratio < low && g.P <= suspicious:
		g.Suspicious = true
	}
	return g
}

// logs are of rates, and where nothing arrived of one byte a second.
func logs(rates []float64) []float64 {
	out := make([]float64, len(rates))
	for i, r := range rates {
		out[i] = math.Log(max(r, 8))
	}
	return out
}

// gains are those of both directions, the one that the host sends first.
func gains(before, after Rates) []Gain {
	return []Gain{NewGain(record.Down, before.Down, after.Down), NewGain(record.Up, before.Up, after.Up)}
}

// suspect says whether a first look suspects any direction. However sure that look
// is, it calls none slower.
func suspect(gs []Gain) bool {
	found := false
	for i := range gs {
		if g := &gs[i]; g.Answer == Slower {
			g.Answer, g.Suspicious = Unclear, true
		}
		found = found || gs[i].Suspicious
	}
	return found
}

// Gained says whether any direction is faster.
func Gained(gs []Gain) bool {
	for _, g := range gs {
		if g.Answer == Faster {
			return true
		}
	}
	return false
}
