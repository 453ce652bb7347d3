package render

import (
	"math"
	"slices"
	"strconv"
)

// RateAxis is the common axis of a dot plot.
type RateAxis struct {
	Log       bool
	Low, High float64 // bit/s, at its ends
	Ticks     []float64
	Unit      string // of the ticks' labels
	scale     float64
}

// logAxisRatio is the ratio of the largest rate to the smallest above which a
// linear axis would crush the small ones into its first tenths.
const logAxisRatio = 5

// NewRateAxis spans the rates; false where there is none above 0.
func NewRateAxis(rates []float64) (RateAxis, bool) {
	positive := slices.DeleteFunc(slices.Clone(rates), func(v float64) bool { return !(v > 0) || math.IsInf(v, 0) })
	if len(positive) == 0 {
		return RateAxis{}, false
	}
	low, high := slices.Min(positive), slices.Max(positive)
	a := RateAxis{Log: high > logAxisRatio*low}
	a.scale, a.Unit = RateScale(high)
	if a.Log {
		a.logTicks(low, high)
	} else {
		a.linearTicks(high)
	}
	return a, true
}

// linearTicks are four to eight round steps from 0 to beyond high.
func (a *RateAxis) linearTicks(high float64) {
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
func (a *RateAxis) logTicks(low, high float64) {
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

// At is where a rate stands, from 0 to 1. What is off the axis stands at its
// end.
func (a RateAxis) At(v float64) float64 {
	share := (v - a.Low) / (a.High - a.Low)
	if a.Log {
		share = math.Log(max(v, a.Low)/a.Low) / math.Log(a.High/a.Low)
	}
	return min(max(share, 0), 1)
}

// Label is a tick's, in the axis' unit.
func (a RateAxis) Label(v float64) string {
	return strconv.FormatFloat(v/a.scale, 'g', 6, 64)
}

// Ruler is the axis: its line with a mark at each tick, and the labels below
// those that have the room.
func (a RateAxis) Ruler(columns int) (line, labels string) {
	marks, text := make([]rune, columns), make([]rune, columns)
	for i := range columns {
		marks[i], text[i] = '─', ' '
	}
	free := 0
	for _, v := range a.Ticks {
		at := int(math.Round(a.At(v) * float64(columns-1)))
		switch at {
		case 0:
			marks[at] = '└'
		case columns - 1:
			marks[at] = '┘'
		default:
			marks[at] = '┴'
		}
		label := []rune(a.Label(v))
		from := max(at-len(label)/2, 0)
		from = min(from, columns-len(label))
		if from < free {
			continue
		}
		copy(text[from:], label)
		free = from + len(label) + 1
	}
	return string(marks), string(text)
}
