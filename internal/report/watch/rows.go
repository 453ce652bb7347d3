package watch

import (
	"cmp"
	"strings"

	"unchoke/internal/live"
	"unchoke/internal/live/table"
	"unchoke/internal/report/render"
)

// shown is a column of the rows, with its width.
type shown struct {
	key   string
	width int
	head  string
	cell  func(*live.Flow) string
}

// narrow are the columns that every screen has: 80 wide together, with a space
// between.
var narrow = []shown{
	text("process", 8),
	text("remote", 20),
	text("cc", 5),
	figure("sent", 5), figure("received", 5), figure("rtt", 6), figure("jitter-ratio", 4),
	{"retrans", 5, "rtx", figure("retrans", 5).cell},
	{"verdict", 14, "verdict", verdict},
}

// verdict has a mark of what is warned of, and of what is over.
func verdict(f *live.Flow) string {
	switch {
	case f.Closed:
		return "× " + string(f.Verdict)
	case len(f.Warnings) > 0:
		return "! " + string(f.Verdict)
	}
	return cmp.Or(string(f.Verdict), "-")
}

// wide are those that a wider screen has too, the most wanted first.
var wide = []shown{
	text("limit", 14), figure("cv", 5), figure("minrtt", 6), figure("cwnd", 6),
	text("unit", 20), figure("confidence", 4), figure("spurious", 5), text("state", 11), text("local", 21), figure("age", 5),
}

// fitting are the columns for a width. The verdict stays last: it has no end
// that must align.
func fitting(width int) []shown {
	out := append([]shown{}, narrow[:len(narrow)-1]...)
	verdict := narrow[len(narrow)-1]
	used := -1
	for _, c := range narrow {
		used += c.width + 1
	}
	for _, c := range wide {
		if used+c.width+1 > width {
			break
		}
		used += c.width + 1
		out = append(out, c)
	}
	return append(out, verdict)
}

// rows writes a head and a row for each flow.
func rows(screen *render.Screen, width int, indent string, flows []*live.Flow) {
	columns := fitting(width)
	row := func(cell func(shown) string) string {
		var b strings.Builder
		b.WriteString(indent)
		for i, c := range columns {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(fit(cell(c), c))
		}
		return strings.TrimRight(b.String(), " ")
	}
	screen.Line(render.Dim.Of(row(func(c shown) string { return c.head })))
	for _, f := range flows {
		screen.Line(colour(f).Of(row(func(c shown) string { return c.cell(f) })))
	}
}

// fit makes a cell as wide as its column. What is cut is made printable first,
// so that it ends where the column does.
func fit(cell string, c shown) string {
	cell = render.Clip(render.Printable(cell), c.width)
	if isName(c.key) {
		return render.Pad(cell, c.width)
	}
	return strings.Repeat(" ", max(0, c.width-len([]rune(cell)))) + cell
}

func isName(key string) bool {
	c, _ := table.Find(key)
	return c.Name
}

func text(key string, width int) shown {
	c, _ := table.Find(key)
	return shown{key, width, c.Head, func(f *live.Flow) string {
		if t := c.Text(f); t != "" {
			return t
		}
		return "-"
	}}
}

func figure(key string, width int) shown {
	c, _ := table.Find(key)
	return shown{key, width, c.Head, func(f *live.Flow) string { return brief(c.Kind, c.Value(f)) }}
}

func brief(kind table.Kind, v float64) string {
	switch kind {
	case table.Rate:
		return render.BriefRate(v)
	case table.Seconds:
		if v == 0 {
			return "-"
		}
		return render.BriefTime(v)
	case table.Share:
		return render.BriefShare(v)
	case table.Bytes:
		return render.BriefSize(v)
	}
	if v < 0 {
		return "-"
	}
	return render.BriefRate(v)
}

// colour is that of a row: what is to be mended, and what is over.
func colour(f *live.Flow) render.Colour {
	switch {
	case f.Closed:
		return render.Dim
	case faulty(f):
		return render.Yellow
	}
	return render.Plain
}

// faulty says that there is something to mend.
func faulty(f *live.Flow) bool {
	return f.Verdict != "" && f.Verdict != live.Watching && f.Verdict.Fault()
}
