package compare

import (
	"strconv"
	"strings"

	"unchoke/internal/compare"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
	"unchoke/internal/unit"
)

// table is the comparison's: a row an arm. A column in which nothing is known
// is left out.
func (c Report) table() []render.Column {
	out := c.nameColumns()
	rows := len(c.Arms)
	add := func(head string, cell func(arm int, s compare.Summary) string) {
		col, known := render.Column{Head: head}, false
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
	add("rate [95 %]", func(_ int, s compare.Summary) string { return render.RateInterval(s.Rate, s.Interval) })
	add("CV", func(_ int, s compare.Summary) string { return render.Known(s.CV, render.Ratio) })
	add("ratio [95 %]", func(arm int, _ compare.Summary) string {
		if arm == 0 {
			return "baseline"
		}
		if k := c.contrast(arm); k != nil {
			return render.RatioInterval(k.Ratio, k.Interval)
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
		add("reported", func(arm int, _ compare.Summary) string { return render.RateRange(c.reported(arm).Rate) })
		add("its ratio", func(arm int, _ compare.Summary) string { return render.RatioRange(c.reportedRatio(arm)) })
	}
	add("resent", func(_ int, s compare.Summary) string {
		if s.Retransmits < 0 {
			return "unknown"
		}
		return render.Ratio(s.Retransmits)
	})
	add("RTT under load", func(_ int, s compare.Summary) string { return render.Known(s.RTTLoad, render.Time) })
	add("CPU here", func(_ int, s compare.Summary) string { return render.Known(s.CPUNear, render.PerGigabyte) })
	add("CPU there", func(_ int, s compare.Summary) string { return render.Known(s.CPUFar, render.PerGigabyte) })
	add("neighbor", func(_ int, s compare.Summary) string { return render.Known(s.NeighborRate, render.Rate) })
	add("Jain's index", func(_ int, s compare.Summary) string {
		return render.Known(s.Jain, func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) })
	})
	return out
}

// nameColumns tell the arms apart: by their names or, where they differ in
// two keys or more, as the arms of a grid do, by a column a key.
func (c Report) nameColumns() []render.Column {
	var axes []render.Column
	for _, k := range armKeys {
		col, differ := render.Column{Head: k.name, Left: true}, false
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
	names := render.Column{Head: "arm", Left: true}
	for arm := range c.Arms {
		names.Cells = append(names.Cells, c.armName(arm))
	}
	return []render.Column{names}
}

// label is an arm's name in a plot: what its row of the table begins with.
func (c Report) label(arm int) string {
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
