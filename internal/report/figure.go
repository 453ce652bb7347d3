package report

import (
	"fmt"
	"math"
	"strings"
	"time"

	"unchoke/internal/diagnose"
	"unchoke/internal/record"
	"unchoke/internal/unit"
)

// figure prints a piece of evidence's value in a unit that people read.
func figure(e diagnose.Evidence) string {
	switch e.Unit {
	case "bit/s":
		return unit.BitRate(e.Value).Human()
	case "s":
		return milliseconds(e.Value)
	case "ratio":
		return unit.Ratio(e.Value).Human()
	case "bytes":
		return unit.Size(e.Value).Human()
	}
	if e.Value < 0 {
		return "not told"
	}
	return fmt.Sprintf("%.0f", e.Value)
}

func milliseconds(s float64) string {
	if s >= 0.1 {
		return fmt.Sprintf("%.0f ms", s*1e3)
	}
	return fmt.Sprintf("%.1f ms", s*1e3)
}

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

// wrap breaks text into lines of at most width columns.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

func when(t time.Time) string { return t.Format("2006-01-02 15:04:05") }
