package plan

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"unchoke/internal/report/render"
	"unchoke/internal/tune/outcome"
)

// LiveText writes what became of connections that were open.
func LiveText(w io.Writer, l outcome.Live, style render.Style) error {
	t := text{render.NewScreen(style)}
	what := liveWhat(l)
	switch l.Result {
	case outcome.WasChanged:
		t.Line(render.Green.Of(fmt.Sprintf("changed to %s: %s", l.CC, what)))
	case outcome.LiveUndone:
		t.Line(render.Green.Of("reverted: " + what))
	default:
		t.Line(render.Yellow.Of("nothing was changed"))
	}
	if l.Module != "" {
		t.Text("loaded the module " + l.Module)
	}
	if len(l.Flows) > 0 {
		t.Table(liveColumns(l), 1, t.Width)
	}
	measured := false
	for _, f := range l.Flows {
		measured = measured || f.After != nil
		if f.Why != "" {
			t.Hang(4, render.Plain, f.Why, render.Plain.Of("  "+f.Remote+": "))
		}
	}
	if measured {
		t.Hang(0, render.Dim, fmt.Sprintf("The rates before and after are over %s each, measured at different times: the path or the program may have changed meanwhile, so do not compare them; use unchoke ab.", render.Time(l.Window)))
	}
	if got := receiving(l.Flows); got > 0 {
		t.Hang(0, render.Yellow, fmt.Sprintf("On %s of these this host receives (↓): there the far host's algorithm decides.", render.Count(float64(got))))
	}
	for _, u := range l.Units {
		t.Hang(0, render.Plain, unitWords(u))
	}
	if l.Result == outcome.WasChanged {
		t.Text(liveBack + ".")
	}
	return t.Flush(w)
}

const liveBack = "unchoke tune live --revert gives the old algorithm back"

// LiveSoFar says what a run has changed that an error ended; empty for nothing.
func LiveSoFar(l outcome.Live) string {
	what := liveWhat(l)
	if what == "" {
		return ""
	}
	return "changed to " + l.CC + " already: " + what + "; " + liveBack
}

// liveWhat says of how much the result is.
func liveWhat(l outcome.Live) string {
	var what []string
	connections := 0
	for _, f := range l.Flows {
		if f.State == outcome.LiveChanged || f.State == outcome.LiveReverted {
			connections++
		}
	}
	if connections > 0 {
		what = append(what, render.Plural(connections, "connection"))
	}
	for _, u := range l.Units {
		if u.State == outcome.LiveChanged || u.State == outcome.LiveReverted {
			what = append(what, "what "+u.Unit+" opens later")
		}
	}
	return strings.Join(what, ", ")
}

// unitWords says what became of a unit's later connections.
func unitWords(u outcome.LiveUnit) string {
	switch u.State {
	case outcome.LiveChanged:
		return "Connections that " + u.Unit + " opens or accepts from now on get " + u.New + ", until it is stopped or restarted, or the host is rebooted."
	case outcome.LiveSame:
		return "Connections that " + u.Unit + " opens get " + u.New + " already."
	case outcome.LiveReverted:
		return "Connections that " + u.Unit + " opens from now on are as before. Those that it opened meanwhile keep " + u.New + " until they close."
	case outcome.LiveEnded:
		return u.Unit + " was stopped since: what was changed for it has gone with it."
	}
	return u.Unit + ": " + u.Why
}

// LiveAsk writes the connections that are about to be changed.
func LiveAsk(w io.Writer, flows []outcome.LiveFlow, style render.Style) error {
	t := text{render.NewScreen(style)}
	t.Table(liveColumns(outcome.Live{Flows: flows}), 1, t.Width)
	return t.Flush(w)
}

func liveColumns(l outcome.Live) []render.Column {
	columns := []render.Column{{Head: "remote", Left: true}, {Head: "port"}, {Head: "process", Left: true}, {Head: "algorithm", Left: true}, {Head: "before"}}
	if l.Result != "" {
		columns = append(slices.Insert(columns, 3, render.Column{Head: "state", Left: true}), render.Column{Head: "after"})
	}
	for _, f := range l.Flows {
		cc := f.Old
		if l.Result != "" && f.New != "" && f.New != f.Old {
			cc += " → " + f.New
		}
		row := []string{f.Remote, f.Local[strings.LastIndexByte(f.Local, ':')+1:], cmp.Or(f.Process, f.Unit, "?"), cc, rateWord(f.Before, f.Sends)}
		if l.Result != "" {
			row = append(slices.Insert(row, 3, string(f.State)), rateWord(f.After, f.Sends))
		}
		for i := range columns {
			columns[i].Cells = append(columns[i].Cells, row[i])
		}
	}
	return columns
}

func rateWord(rate *float64, sends bool) string {
	if rate == nil {
		return "–"
	}
	if sends {
		return "↑ " + render.Rate(*rate)
	}
	return "↓ " + render.Rate(*rate)
}

// receiving counts the changed connections whose data comes from the far host.
func receiving(flows []outcome.LiveFlow) (n int) {
	for _, f := range flows {
		if f.State == outcome.LiveChanged && !f.Sends {
			n++
		}
	}
	return n
}
