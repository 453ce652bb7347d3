package watch

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"

	"unchoke/internal/live"
	"unchoke/internal/live/table"
	"unchoke/internal/report/render"
)

// Text writes one snapshot after the other as rows of text, for screen readers
// and pipes.
type Text struct {
	Order table.Order
	// Group is what rows stand together by; empty for none.
	Group table.By
	// Top is how many rows are shown, the first of the order; 0 for all.
	Top int
	// Explain is for how many of the rows shown it is said what to do, of those
	// with something to fix or a warning.
	Explain int

	notes []string // that were said last
	begun bool
}

// Write writes a snapshot.
func (t *Text) Write(w io.Writer, s *live.Snapshot, style render.Style) error {
	flows := table.Pointers(s)
	t.Order.Sort(flows)
	screen := render.NewScreen(style)
	if t.begun {
		screen.Text("")
	}
	t.begun = true
	screen.Hang(2, render.Plain, summary(s), render.Bold.Of(s.Time.Format("2006-01-02 15:04:05")+"  "))
	left := 0
	if t.Top > 0 && len(flows) > t.Top {
		left, flows = len(flows)-t.Top, flows[:t.Top]
	}
	switch {
	case len(flows) == 0:
	case t.Group == "":
		rows(screen, screen.Width, "", flows)
	default:
		for _, g := range table.Groups(flows, t.Group) {
			screen.Hang(2, render.Bold, groupFigures(g), render.Bold.Of(render.Clip(groupName(t.Group, g), screen.Width-2)+"  "))
			rows(screen, screen.Width-2, "  ", g.Flows)
		}
	}
	if left > 0 {
		screen.Text(fmt.Sprintf("  and %d more", left))
	}
	t.explain(screen, flows)
	if !slices.EqualFunc(t.notes, s.Notes, alike) {
		t.notes = slices.Clone(s.Notes)
		for _, n := range s.Notes {
			screen.Note("note", render.Dim, n)
		}
	}
	return screen.Flush(w)
}

// alike says that two notes differ in their numbers at most: a count that goes up
// and down is not told at every look.
func alike(a, b string) bool {
	words := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return -1
			}
			return r
		}, s)
	}
	return words(a) == words(b)
}

// explain says of the first flows what holds them back and what to do.
func (t *Text) explain(screen *render.Screen, flows []*live.Flow) {
	left := t.Explain
	for _, f := range flows {
		if left == 0 {
			return
		}
		if !faulty(f) && len(f.Warnings) == 0 || f.Summary == "" && f.Advice == "" {
			continue
		}
		left--
		screen.Text("")
		screen.Hang(0, render.Plain, fmt.Sprintf("%s, %s sure: %s", f.Verdict, render.Ratio(math.Round(f.Confidence*100)/100), f.Summary),
			render.Bold.Of(strings.TrimSpace(f.Process+" "+f.Remote.String())+"  "))
		for _, w := range f.Warnings {
			screen.Note("warning", render.Yellow, string(w))
		}
		if f.Advice != "" {
			screen.Note("advice", render.Plain, f.Advice)
		}
		if f.Next != "" {
			screen.Note("next", render.Plain, f.Next)
		}
	}
}

// summary is a snapshot in a line.
func summary(s *live.Snapshot) string {
	var sent, received float64
	closed := 0
	for i := range s.Flows {
		f := &s.Flows[i]
		sent += f.SentRate
		received += f.ReceivedRate
		if f.Closed {
			closed++
		}
	}
	parts := []string{render.Plural(len(s.Flows)-closed, "connection")}
	if closed > 0 {
		parts = append(parts, fmt.Sprintf("%d closed", closed))
	}
	parts = append(parts, render.Rate(sent)+" out", render.Rate(received)+" in")
	if s.LostEvents > 0 {
		parts = append(parts, render.Plural(int(s.LostEvents), "end")+" not seen")
	}
	return strings.Join(parts, ", ")
}

func groupName(by table.By, g *table.Group) string {
	return cmp.Or(g.Name, "("+string(by)+" not known)")
}

func groupFigures(g *table.Group) string {
	return fmt.Sprintf("%s, %s out, %s in", render.Plural(len(g.Flows), "connection"), render.Rate(g.Sent), render.Rate(g.Received))
}
