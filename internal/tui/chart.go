package tui

import (
	"math"
	"strings"
)

// eighths are bars of one to eight eighths of a line's height.
var eighths = []rune(" ▁▂▃▄▅▆▇█")

// chart draws values as bars, the newest at the right, between low and high.
// What is not a number was not measured and stays empty; what is above low is at
// least an eighth, so that something never looks like nothing.
func chart(values []float64, low, high float64, width, height int) []string {
	grid := make([]strings.Builder, height)
	if n := len(values); n > width {
		values = values[n-width:]
	}
	for range width - len(values) {
		for i := range grid {
			grid[i].WriteByte(' ')
		}
	}
	for _, v := range values {
		level := barLevel(v, low, high, height)
		for i := range grid {
			from := (height - 1 - i) * 8
			grid[i].WriteRune(eighths[min(max(level-from, 0), 8)])
		}
	}
	lines := make([]string, height)
	for i := range grid {
		lines[i] = grid[i].String()
	}
	return lines
}

// barLevel is a bar's height in eighths of a line.
func barLevel(v, low, high float64, height int) int {
	if math.IsNaN(v) || high <= low || v < low || v == 0 {
		return 0
	}
	return min(max(int(math.Round((v-low)/(high-low)*float64(8*height))), 1), 8*height)
}

// scale is the axis of a chart: from 0, or from near the least value where the
// values differ by little and their differences are what matters.
func scale(values []float64, fromZero bool) (low, high float64) {
	least := math.Inf(1)
	for _, v := range values {
		if !math.IsNaN(v) {
			high, least = max(high, v), min(least, v)
		}
	}
	if !fromZero && high > 0 && least > high/2 {
		low = roundDown(least - (high-least)/4)
	}
	return low, roundUp(high)
}

// roundUp and roundDown give two significant digits, for the axis' labels.
func roundUp(v float64) float64   { return twoDigits(v, math.Ceil) }
func roundDown(v float64) float64 { return twoDigits(v, math.Floor) }

func twoDigits(v float64, round func(float64) float64) float64 {
	if v <= 0 {
		return 0
	}
	step := math.Pow(10, math.Floor(math.Log10(v))-1)
	return round(v/step*(1-1e-12)) * step
}

// stacked divides a bar of cells among shares of the whole: what is not nothing
// has a cell at least where there is one, and shares of more than the whole
// together are drawn as parts of their sum.
func stacked(shares []float64, width int) []int {
	total := 0.0
	for _, v := range shares {
		if v > 0 {
			total += v
		}
	}
	total = max(total, 1)
	cells, used, sum := make([]int, len(shares)), 0, 0.0
	for i, v := range shares {
		if !(v > 0) {
			continue
		}
		sum += v
		to := max(int(math.Round(sum/total*float64(width))), used+1)
		to = min(to, width)
		cells[i] = to - used
		used = to
	}
	return cells
}
