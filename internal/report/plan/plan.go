// Package plan shows what unchoke tune plans, did and sees in force, as text.
package plan

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"unchoke/internal/report/render"
	"unchoke/internal/tune"
	"unchoke/internal/unit"
)

// Text writes a plan as a diff with a reason for each change, then the
// conflicts and what else there is to know.
func Text(w io.Writer, p tune.Plan, style render.Style) error {
	t := text{render.NewScreen(style)}
	t.Line(render.Bold.Of("plan"), render.Plain.Of("  "+planTitle(p)))
	if p.For != nil {
		t.Hang(0, render.Dim, measuredLine(p.For))
	} else {
		t.Line(render.Dim.Of("without a record of a path"))
	}
	if u := p.Unsupported; u != nil {
		t.Text("")
		t.Hang(2, render.Plain, u.What, render.Red.Of("UNSUPPORTED"), render.Plain.Of("  "))
		t.Hang(2, render.Plain, u.Next, render.Plain.Of("  next: "))
		if u.Snippet != "" {
			t.Text("")
			t.Block(4, render.Plain, u.Snippet)
		}
	}
	t.changes(p, tune.Now, "now")
	t.changes(p, tune.Boot, "from the next boot on")
	if len(p.Changes) == 0 && p.Unsupported == nil {
		t.Text("")
		p.Notes = t.unplanned(p.Notes)
	}
	t.conflicts(p.Conflicts)
	t.notes(p.Notes)
	return t.Flush(w)
}

func planTitle(p tune.Plan) string {
	title := "for this host"
	if p.Host != "" {
		title = "for " + p.Host
	}
	if p.Root != "" {
		title = "for the image in " + p.Root
	}
	if scope := p.Scope.String(); scope != "host" {
		title += ", only " + strings.Replace(scope, ":", " ", 1)
	}
	return title
}

func measuredLine(m *tune.Measured) string {
	parts := []string{"path to " + m.Target}
	if m.RTT > 0 {
		parts = append(parts, "RTT "+render.Time(m.RTT))
	}
	for _, way := range []struct {
		word string
		*tune.Way
	}{{"download", m.Down}, {"upload", m.Up}} {
		if way.Way == nil {
			continue
		}
		var causes []string
		for _, c := range way.Causes {
			causes = append(causes, string(c))
		}
		parts = append(parts, fmt.Sprintf("%s %s of %s (%s)", way.word, render.Rate(way.Rate), render.Rate(way.Capacity), strings.Join(causes, ", ")))
	}
	if m.Record != "" {
		parts = append(parts, "record "+m.Record)
	}
	return strings.Join(parts, "; ")
}

// text is a screen that knows plans.
type text struct{ *render.Screen }

func (t text) changes(p tune.Plan, when tune.When, title string) {
	first := true
	for _, c := range p.Changes {
		if c.When != when {
			continue
		}
		if first {
			t.title(title)
			first = false
		}
		t.Text("  " + changeName(c))
		removed, added := planDiff(c)
		for _, line := range removed {
			t.Line(render.Plain.Of("    "), render.Red.Of("- "+line))
		}
		for _, line := range added {
			t.Line(render.Plain.Of("    "), render.Green.Of("+ "+line))
		}
		t.Hang(6, render.Dim, c.Why)
	}
}

// unplanned says why a plan has no changes, and leaves the notes that say no more
// of that.
func (t text) unplanned(notes []tune.Note) []tune.Note {
	i := slices.IndexFunc(notes, func(n tune.Note) bool { return n.About == tune.AboutRecord })
	if i < 0 {
		t.Line(render.Green.Of("nothing to change"))
		return notes
	}
	t.Hang(0, render.Yellow, notes[i].What)
	t.Block(2, render.Bold, notes[i].Command)
	return slices.Concat(notes[:i], notes[i+1:])
}

// title begins a part.
func (t text) title(words string) {
	t.Text("")
	t.Line(render.Bold.Of(words))
}

// planDiff is a change's old and new value in lines, what both share at the
// beginning and the end left out.
func planDiff(c tune.Change) (removed, added []string) {
	removed, added = valueLines(c.Kind, c.Old), valueLines(c.Kind, c.New)
	for len(removed) > 0 && len(added) > 0 && removed[0] == added[0] {
		removed, added = removed[1:], added[1:]
	}
	for len(removed) > 0 && len(added) > 0 && removed[len(removed)-1] == added[len(added)-1] {
		removed, added = removed[:len(removed)-1], added[:len(added)-1]
	}
	return removed, added
}

// valueLines shows a value as its own tools would.
func valueLines(kind tune.Kind, value *string) []string {
	if value == nil {
		return nil
	}
	switch kind {
	case tune.File:
		v, err := tune.Decode[tune.FileValue](value)
		if err != nil || v == nil {
			break
		}
		if v.Link != "" {
			return []string{"-> " + v.Link}
		}
		if v.Dir {
			return []string{"directory"}
		}
		return strings.Split(strings.TrimSuffix(string(v.Content), "\n"), "\n")
	case tune.Qdisc:
		if v, err := tune.Decode[tune.QdiscValue](value); err == nil && v != nil {
			return []string{qdiscWords(*v)}
		}
	case tune.Route:
		if v, err := tune.Decode[tune.RouteValue](value); err == nil && v != nil {
			if v.CC == "" {
				return nil
			}
			return []string{"congctl " + v.CC}
		}
	}
	return []string{*value}
}

func qdiscWords(q tune.QdiscValue) string {
	words := q.Kind
	if q.MaxRate > 0 {
		words += " maxrate " + unit.BitRate(q.MaxRate).String()
	}
	if len(q.Leaves) > 0 {
		kinds := map[string]int{}
		var order []string
		for _, leaf := range q.Leaves {
			if kinds[leaf.Kind]++; kinds[leaf.Kind] == 1 {
				order = append(order, leaf.Kind)
			}
		}
		for i, kind := range order {
			order[i] = fmt.Sprintf("%d × %s", kinds[kind], kind)
		}
		words += " of " + strings.Join(order, ", ")
	}
	return words
}

func (t text) conflicts(list []tune.Conflict) {
	for i, c := range list {
		if i == 0 {
			t.title("conflicts")
		}
		t.Hang(4, render.Plain, c.What, render.Plain.Of("  "), render.Yellow.Of(c.Key), render.Plain.Of("  "))
		t.Hang(4, render.Plain, c.Next, render.Plain.Of("    next: "))
	}
}

func (t text) notes(list []tune.Note) {
	for i, n := range list {
		if i == 0 {
			t.title("notes")
		}
		t.Hang(4, render.Plain, n.What, render.Plain.Of("  "+n.About+": "))
		t.Block(6, render.Bold, n.Command)
	}
}
