package check

import (
	"fmt"
	"strings"

	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

// flowLine says which connection was looked at, whose it is, and for how long;
// empty where the run measured a path.
func (c Report) flowLine() string {
	f := c.Flow
	if f == nil {
		return ""
	}
	arrow := "←"
	if f.Sends {
		arrow = "→"
	}
	parts := []string{f.Local + " " + arrow + " " + f.Remote}
	if owner := ownerWords(f); owner != "" {
		parts = append(parts, owner)
	}
	for _, t := range c.Transfers {
		look := fmt.Sprintf("looked at for %s", render.Time(t.Duration))
		if f.Interval > 0 {
			look += ", every " + render.Time(f.Interval)
		}
		parts = append(parts, look)
	}
	return strings.Join(parts, "; ")
}

// ownerWords are whose the connection is.
func ownerWords(f *record.Flow) string {
	var parts []string
	if f.Process != "" {
		parts = append(parts, fmt.Sprintf("%s (pid %d)", f.Process, f.PID))
	}
	if f.Unit != "" {
		parts = append(parts, f.Unit)
	}
	if f.Container != "" {
		parts = append(parts, "container "+f.Container)
	}
	return strings.Join(parts, ", ")
}

// note is a line beside the verdict, and what kind it is of.
type note struct{ Label, Text string }

// flowNotes are what the reader should know of the connection: that it ended,
// what is not known from this side, which others the filter picked.
func (c Report) flowNotes() []note {
	f := c.Flow
	if f == nil {
		return nil
	}
	var out []note
	if f.Ended {
		out = append(out, note{"ended", "the connection ended while it was looked at: this is what was seen until then"})
	}
	if f.Interrupted {
		out = append(out, note{"stopped", "the look was ended early: this is what was seen until then"})
	}
	for _, x := range f.Unknown {
		out = append(out, note{"not known", x})
	}
	if f.Matched > 1 {
		out = append(out, note{"others", fmt.Sprintf("%d connections match; in a first look this one moved most bytes, or stood with most to send", f.Matched)})
	}
	for _, o := range f.Others {
		text := fmt.Sprintf("--flow '%s'", o.Only)
		if o.Process != "" {
			text += " (" + o.Process + ")"
		}
		out = append(out, note{"other", fmt.Sprintf("%s: %s out, %s in", text, render.Rate(o.Sent), render.Rate(o.Received))})
	}
	return out
}
