package report

import (
	"math"
	"slices"
	"strconv"
)

// rateAxis is the common axis of a dot plot.
type rateAxis struct {
	Log       bool
	Low, High float64 // bit/s, at its ends
	Ticks     []float64
	Unit      string // of the ticks' labels
	scale     float64
}

// logAxisRatio is the ratio of the largest rate to the smallest above which a
// linear axis would crush the small ones into its first tenths.
const logAxisRatio = 5

// newRateAxis spans the rates; false where there is none above 0.
func newRateAxis(rates []float64) (rateAxis, bool) {
	positive := slices.DeleteFunc(slices.Clone(rates), func(v float64) bool { return !(v > 0) || math.IsInf(v, 0) })
	if len(positive) == 0 {
		return rateAxis{}, false
	}
	low, high := slices.Min(positive), slices.Max(positive)
	a := rateAxis{Log: high > logAxisRatio*low}
	a.scale, a.Unit = rateScale(high)
	if a.Log {
		a.logTicks(low, high)
	} else {
		a.linearTicks(high)
	}
	return a, true
}

// linearTicks are four to eight round steps from 0 to beyond high.
func (a *rateAxis) linearTicks(high float64) {
	step := math.Pow(10, math.Floor(math.Log10(high)))
	for _, finer := range []float64{1, 0.5, 0.2} {
		if high/(step*finer) >= 4 {
			step *= finer
			break
		}
		if finer == 0.2 {
			step *= finer
		}
	}
	n := int(math.Ceil(high/step - 1e-9))
	for i := range n + 1 {
		a.Ticks = append(a.Ticks, float64(i)*step)
	}
	a.High = float64(n) * step
}

// logTicks are 1, 2 and 5 times the powers of ten around the rates; powers
// only, where that would be too many to read.
func (a *rateAxis) logTicks(low, high float64) {
	var all []float64
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for _, m := range []float64{1, 2, 5} {
			all = append(all, m*math.Pow(10, e))
		}
	}
	first, last := 0, len(all)-1
	for first+1 < len(all) && all[first+1] <= low*(1+1e-9) {
		first++
	}
	for last > 0 && all[last-1] >= high*(1-1e-9) {
		last--
	}
	a.Low, a.High = all[first], all[last]
	a.Ticks = all[first : last+1]
	if len(a.Ticks) > 8 {
		a.Ticks = slices.DeleteFunc(slices.Clone(a.Ticks), func(v float64) bool {
			log := math.Log10(v)
			return math.Abs(log-math.Round(log)) > 1e-9
		})
	}
}

// at is where a rate stands, from 0 to 1. What is off the axis stands at its
// end.
func (a rateAxis) at(v float64) float64 {
	share := (v - a.Low) / (a.High - a.Low)
	if a.Log {
		share = math.Log(max(v, a.Low)/a.Low) / math.Log(a.High/a.Low)
	}
	return min(max(share, 0), 1)
}

// label is a tick's, in the axis' unit.
func (a rateAxis) label(v float64) string {
	return strconv.FormatFloat(v/a.scale, 'g', 6, 64)
}
