package check

import (
	"math"
	"strings"

	"unchoke/internal/record"
)

var bars = []rune("▁▂▃▄▅▆▇█")

// sparkline draws a transfer's rate over time in so many columns, from 0 to
// top bit/s.
func sparkline(t *record.Transfer, columns int, top float64) string {
	if len(t.Intervals) == 0 || top <= 0 {
		return ""
	}
	var b strings.Builder
	for i := range columns {
		share := t.Goodput(float64(i)/float64(columns), float64(i+1)/float64(columns)) / top
		at := int(math.Round(share * float64(len(bars)-1)))
		b.WriteRune(bars[min(max(at, 0), len(bars)-1)])
	}
	return b.String()
}

// peak is the fastest interval of a transfer, in bit/s, over columns columns.
func peak(t *record.Transfer, columns int) float64 {
	most := 0.0
	for i := range columns {
		most = max(most, t.Goodput(float64(i)/float64(columns), float64(i+1)/float64(columns)))
	}
	return most
}
