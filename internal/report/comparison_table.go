package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"unchoke/internal/compare"
	"unchoke/internal/record"
	"unchoke/internal/stats"
	"unchoke/internal/unit"
)

// column is one of a table, its cells as text that is not yet made safe for
// any view.
type column struct {
	Head  string
	Left  bool // names stand left, figures right
	Cells []string
}

// table is the comparison's: a row an arm. A column in which nothing is known
// is left out.
func (c Comparison) table() []column {
	out := c.nameColumns()
	rows := len(c.Arms)
	add := func(head string, cell func(arm int, s compare.Summary) string) {
		col, known := column{Head: head}, false
		for arm := range rows {
			text := ""
			if s := c.summary(arm); s != nil {
				text = cell(arm, *s)
			}
			known = known || text != ""
			col.Cells = append(col.Cells, text)
		}
		if known {
			out = append(out, col)
		}
	}
	add("rate [95 %]", func(_ int, s compare.Summary) string { return rateInterval(s.Rate, s.Interval) })
	add("CV", func(_ int, s compare.Summary) string { return known(s.CV, ratio) })
	add("ratio [95 %]", func(arm int, _ compare.Summary) string {
		if arm == 0 {
			return "baseline"
		}
		if k := c.contrast(arm); k != nil {
			return ratioInterval(k.Ratio, k.Interval)
		}
		return ""
	})
	add("p", func(arm int, _ compare.Summary) string {
		if k := c.contrast(arm); k != nil {
			return probability(k.P)
		}
		return ""
	})
	if len(c.Analysis.Contrasts) > 1 {
		add("answer", func(arm int, _ compare.Summary) string {
			if k := c.contrast(arm); k != nil {
				return string(k.Answer)
			}
			return ""
		})
	}
	if c.Reported != nil {
		add("reported", func(arm int, _ compare.Summary) string { return rateRange(c.reported(arm).Rate) })
		add("its ratio", func(arm int, _ compare.Summary) string { return ratioRange(c.reportedRatio(arm)) })
	}
	add("resent", func(_ int, s compare.Summary) string {
		if s.Retransmits < 0 {
			return "not told"
		}
		return ratio(s.Retransmits)
	})
	add("RTT under load", func(_ int, s compare.Summary) string { return known(s.RTTLoad, milliseconds) })
	add("CPU here", func(_ int, s compare.Summary) string { return known(s.CPUNear, perGigabyte) })
	add("CPU there", func(_ int, s compare.Summary) string { return known(s.CPUFar, perGigabyte) })
	add("neighbor", func(_ int, s compare.Summary) string { return known(s.NeighborRate, rate) })
	add("Jain's index", func(_ int, s compare.Summary) string {
		return known(s.Jain, func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) })
	})
	return out
}

// nameColumns tell the arms apart: by their names or, where they differ in
// two keys or more, as the arms of a grid do, by a column a key.
func (c Comparison) nameColumns() []column {
	var axes []column
	for _, k := range armKeys {
		col, differ := column{Head: k.name, Left: true}, false
		for _, a := range c.Arms {
			text := k.value(a)
			differ = differ || len(col.Cells) > 0 && text != col.Cells[0]
			col.Cells = append(col.Cells, text)
		}
		if differ {
			for i, text := range col.Cells {
				if text == "" {
					col.Cells[i] = "default"
				}
			}
			axes = append(axes, col)
		}
	}
	if len(axes) > 1 {
		return axes
	}
	names := column{Head: "arm", Left: true}
	for arm := range c.Arms {
		names.Cells = append(names.Cells, c.armName(arm))
	}
	return []column{names}
}

// label is an arm's name in a plot: what its row of the table begins with.
func (c Comparison) label(arm int) string {
	var words []string
	for _, col := range c.nameColumns() {
		words = append(words, col.Cells[arm])
	}
	return strings.Join(words, " ")
}

// armKeys are what arms can differ in.
var armKeys = []struct {
	name  string
	value func(record.Arm) string
}{
	{"direction", func(a record.Arm) string { return string(a.Direction) }},
	{"target", func(a record.Arm) string { return a.Target }},
	{"cc", func(a record.Arm) string { return a.CC }},
	{"window", func(a record.Arm) string {
		if a.Window == 0 {
			return ""
		}
		return unit.Size(a.Window).String()
	}},
	{"streams", func(a record.Arm) string {
		if a.Streams == 0 {
			return ""
		}
		return strconv.Itoa(a.Streams)
	}},
}

// known prints a figure that is there.
func known(v float64, format func(float64) string) string {
	if v == 0 || math.IsNaN(v) {
		return ""
	}
	return format(v)
}

func ratio(v float64) string { return unit.Ratio(v).Human() }

// rate prints a rate to three significant digits.
func rate(v float64) string {
	scale, name := rateScale(v)
	return strconv.FormatFloat(v/scale, 'f', decimals(v/scale), 64) + " " + name
}

func perGigabyte(s float64) string { return strconv.FormatFloat(s, 'f', 2, 64) + " s/GB" }

// times prints a ratio to three significant digits.
func times(v float64) string { return strconv.FormatFloat(v, 'f', decimals(v), 64) + "×" }

// ratioInterval prints a ratio and its interval; of no blocks, nothing.
func ratioInterval(v float64, i stats.Interval) string {
	switch {
	case v == 0:
		return ""
	case i.Low <= 0 && math.IsInf(i.High, 1): // nothing is ruled out yet
		return times(v)
	}
	return times(v) + " " + interval(i, 1, decimals(v))
}

// ratioRange prints a reported ratio.
func ratioRange(i stats.Interval) string {
	switch {
	case i == (stats.Interval{}):
		return ""
	case i.Low == i.High:
		return short(i.Low) + "×"
	}
	return short(i.Low) + "–" + short(i.High) + "×"
}

// rateRange prints a reported rate, to the digits that were given.
func rateRange(i stats.Interval) string {
	scale, name := rateScale(i.High)
	switch {
	case i == (stats.Interval{}):
		return ""
	case i.Low == i.High:
		return short(i.Low/scale) + " " + name
	}
	return short(i.Low/scale) + "–" + short(i.High/scale) + " " + name
}

// short prints a number to three significant digits at most.
func short(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

// decimals are as many as make three significant digits, at least none and at
// most three.
func decimals(v float64) int {
	v = math.Abs(v)
	switch {
	case v >= 99.95 || math.IsNaN(v):
		return 0
	case v >= 9.995:
		return 1
	case v >= 0.9995:
		return 2
	}
	return 3
}

// rateInterval prints a rate and its interval in the rate's unit.
func rateInterval(v float64, i stats.Interval) string {
	scale, _ := rateScale(v)
	return rate(v) + " " + interval(i, scale, decimals(v/scale))
}

func interval(i stats.Interval, scale float64, digits int) string {
	end := func(v float64) string {
		if math.IsInf(v, 0) {
			return "∞"
		}
		return strconv.FormatFloat(v/scale, 'f', digits, 64)
	}
	return fmt.Sprintf("[%s–%s]", end(i.Low), end(i.High))
}

// rateScale is the unit in which a rate is read.
func rateScale(v float64) (bits float64, name string) {
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

// probability prints a p value to two significant digits.
func probability(p float64) string {
	switch {
	case p < 0.001:
		return "< 0.001"
	case p >= compare.ErrorRate:
		return "≥ " + strconv.FormatFloat(compare.ErrorRate, 'g', -1, 64) // all that the sequential test says
	}
	return strconv.FormatFloat(p, 'g', 2, 64)
}
