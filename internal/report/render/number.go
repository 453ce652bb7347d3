package render

import (
	"fmt"
	"math"
	"strconv"

	"unchoke/internal/stats"
	"unchoke/internal/unit"
)

// Known prints a figure that is there.
func Known(v float64, format func(float64) string) string {
	if v == 0 || math.IsNaN(v) {
		return ""
	}
	return format(v)
}

// Rate prints a rate in bit/s to three significant digits.
func Rate(v float64) string { return unit.HumanRate(v) }

// Time prints a time in seconds to three significant digits.
func Time(v float64) string { return unit.HumanTime(v) }

// SetTime prints a time in seconds that somebody set: 50 ms.
func SetTime(v float64) string { return unit.ExactTime(v) }

// Size prints a number of bytes to three significant digits.
func Size(v float64) string { return unit.HumanSize(v) }

// Ratio prints a share in per cent, to three significant digits.
func Ratio(v float64) string { return unit.Ratio(v).Human() }

// Count prints how many; below 0 stands for not known.
func Count(v float64) string {
	if v < 0 {
		return "unknown"
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// PerGigabyte prints CPU seconds for each gigabyte carried.
func PerGigabyte(s float64) string { return strconv.FormatFloat(s, 'f', 2, 64) + " s/GB" }

// Times prints a ratio to three significant digits.
func Times(v float64) string { return unit.HumanTimes(v) }

// RatioInterval prints a ratio and its interval; of no blocks, nothing.
func RatioInterval(v float64, i stats.Interval) string {
	switch {
	case v == 0:
		return ""
	case i.Low <= 0 && math.IsInf(i.High, 1): // nothing is ruled out yet
		return Times(v)
	}
	return Times(v) + " " + Interval(i, 1, unit.Decimals(v))
}

// RatioRange prints a reported ratio.
func RatioRange(i stats.Interval) string {
	switch {
	case i == (stats.Interval{}):
		return ""
	case i.Low == i.High:
		return Short(i.Low) + "×"
	}
	return Short(i.Low) + "–" + Short(i.High) + "×"
}

// RateRange prints a reported rate, to the digits that were given.
func RateRange(i stats.Interval) string {
	scale, name := RateScale(i.High)
	switch {
	case i == (stats.Interval{}):
		return ""
	case i.Low == i.High:
		return Short(i.Low/scale) + " " + name
	}
	return Short(i.Low/scale) + "–" + Short(i.High/scale) + " " + name
}

// Short prints a number to three significant digits at most.
func Short(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

// RateInterval prints a rate and its interval in the rate's unit; of a single block,
// which has none, the rate alone, and of none nothing.
func RateInterval(v float64, i stats.Interval) string {
	if !i.Bounded() {
		return Known(v, Rate)
	}
	scale, _ := RateScale(v)
	return Rate(v) + " " + Interval(i, scale, unit.Decimals(v/scale))
}

// Interval prints both ends in units of scale.
func Interval(i stats.Interval, scale float64, digits int) string {
	end := func(v float64) string {
		if math.IsInf(v, 0) {
			return "∞"
		}
		return strconv.FormatFloat(v/scale, 'f', digits, 64)
	}
	return fmt.Sprintf("[%s–%s]", end(i.Low), end(i.High))
}

// RateScale is the unit in which a rate is read.
func RateScale(v float64) (bits float64, name string) {
	switch {
	case v >= 0.9995e9:
		return 1e9, "Gbit/s"
	case v >= 0.9995e6:
		return 1e6, "Mbit/s"
	case v >= 0.9995e3:
		return 1e3, "kbit/s"
	}
	return 1, "bit/s"
}
