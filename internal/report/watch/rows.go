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
	rank  int                     // the order in which wider screens add it; 0 on every screen
	head  string                  // instead of the column's own
	cell  func(*live.Flow) string // likewise
}

// columns are those of the rows; the wider the screen, the more. The verdict stays
// last: it has no end that must align.
var columns = []shown{
	{key: "process", width: 8, rank: 3},
	{key: "remote", width: 20},
	{key: "cc", width: 5, rank: 6},
	{key: "sent", width: 5, rank: 1},
	{key: "received", width: 5, rank: 2},
	{key: "rtt", width: 6, rank: 4},
	{key: "jitter-ratio", width: 4, rank: 7},
	{key: "retrans", width: 5, rank: 5, head: "rtx"},
	{key: "limit", width: 14, rank: 8},
	{key: "cv", width: 5, rank: 9},
	{key: "minrtt", width: 6, rank: 10},
	{key: "cwnd", width: 6, rank: 11},
	{key: "unit", width: 20, rank: 12},
	{key: "confidence", width: 4, rank: 13},
	{key: "spurious", width: 5, rank: 14},
	{key: "state", width: 11, rank: 15},
	{key: "local", width: 21, rank: 16},
	{key: "age", width: 5, rank: 17},
	{key: "verdict", width: 14, cell: verdict},
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

// fitting are the columns for a width.
func fitting(width int) []shown {
	var out []shown
	for _, c := range columns {
		if c.rank == 0 || room(c.rank) <= width {
			out = append(out, c)
		}
	}
	return out
}

// room is how wide the columns up to a rank are, with a space between them.
func room(rank int) int {
	used := -1
	for _, c := range columns {
		if c.rank <= rank {
			used += c.width + 1
		}
	}
	return used
}

// rows writes a head and a row for each flow.
func rows(screen *render.Screen, width int, indent string, flows []*live.Flow) {
	columns := fitting(width)
	facts := make([]table.Column, len(columns))
	for i, c := range columns {
		facts[i], _ = table.Find(c.key)
	}
	row := func(cell func(shown, table.Column) string) string {
		var b strings.Builder
		b.WriteString(indent)
		for i, c := range columns {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(fit(cell(c, facts[i]), c.width, facts[i].Name))
		}
		return strings.TrimRight(b.String(), " ")
	}
	screen.Line(render.Dim.Of(row(func(c shown, column table.Column) string { return cmp.Or(c.head, column.Head) })))
	for _, f := range flows {
		screen.Line(colour(f).Of(row(func(c shown, column table.Column) string { return c.text(f, column) })))
	}
}

// fit makes a cell as wide as its column. What is cut is made printable first,
// so that it ends where the column does.
func fit(cell string, width int, left bool) string {
	cell = render.Clip(render.Printable(cell), width)
	if left {
		return render.Pad(cell, width)
	}
	return strings.Repeat(" ", max(0, width-len([]rune(cell)))) + cell
}

// text is what a column shows of a flow.
func (c shown) text(f *live.Flow, column table.Column) string {
	switch {
	case c.cell != nil:
		return c.cell(f)
	case column.Name:
		return cmp.Or(column.Text(f), "-")
	}
	return brief(column.Kind, column.Value(f))
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

// colour is that of a row: what is to be fixed, and what is over.
func colour(f *live.Flow) render.Colour {
	switch {
	case f.Closed:
		return render.Dim
	case faulty(f):
		return render.Yellow
	}
	return render.Plain
}

// faulty says that there is something to fix.
func faulty(f *live.Flow) bool {
	return f.Verdict != "" && f.Verdict != live.Watching && f.Verdict.Fault()
}
