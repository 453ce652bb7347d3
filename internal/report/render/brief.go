package render

import (
	"math"
	"strconv"
)

// Brief figures are for narrow columns: at most six characters, the unit a
// letter or two. The head of the column says of what they are.

// BriefRate prints a rate in bit/s: 12.3M.
func BriefRate(v float64) string { return brief(v, 1000, "", "k", "M", "G", "T") }

// BriefSize prints a number of bytes, in powers of 1024: 4.2M.
func BriefSize(v float64) string { return brief(v, 1024, "", "k", "M", "G", "T") }

// BriefTime prints a time in seconds: 50ms, 1.5s, 3h.
func BriefTime(v float64) string {
	switch {
	case v < 60:
		return brief(v*1e6, 1000, "µs", "ms", "s")
	case v < 2*60*60:
		return twoDigits(v/60) + "m"
	case v < 2*24*60*60:
		return twoDigits(v/60/60) + "h"
	}
	return twoDigits(v/24/60/60) + "d"
}

// BriefShare prints a share in per cent: 0.6%.
func BriefShare(v float64) string {
	if v == 0 {
		return "0%"
	}
	return twoDigits(v*100) + "%"
}

// brief prints v in the largest unit of which there is one, each as many times
// the one before.
func brief(v, step float64, units ...string) string {
	if v == 0 {
		return "0" + units[0]
	}
	i := 0
	for i < len(units)-1 && math.Abs(v) >= step*0.995 {
		v /= step
		i++
	}
	return twoDigits(v) + units[i]
}

// twoDigits prints two significant digits at least: 0.06, 1.2, 12, 123.
func twoDigits(v float64) string {
	switch a := math.Abs(v); {
	case a >= 9.95 || math.IsNaN(v):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 0.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 0.005:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return "0.00"
}
