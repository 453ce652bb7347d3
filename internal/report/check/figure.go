package check

import (
	"fmt"
	"math"
	"strings"

	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

// figure prints a piece of evidence's value in a unit that people read.
func figure(e finding.Evidence) string {
	switch e.Unit {
	case finding.BitRate:
		return render.Rate(e.Value)
	case finding.Seconds:
		return render.Time(e.Value)
	case finding.Ratio:
		return render.Ratio(e.Value)
	case finding.Bytes:
		if e.Value < packetSizes && e.Value == math.Trunc(e.Value) {
			return fmt.Sprintf("%.0f B", e.Value)
		}
		return render.Size(e.Value)
	}
	return render.Count(e.Value)
}

// packetSizes are below this, and one byte of them matters.
const packetSizes = 10_000

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
