package report

import (
	"fmt"
	"io"
	"strings"

	"unchoke/internal/tune"
	"unchoke/internal/unit"
)

// PlanText writes a plan as a diff with a reason for each change, then the
// conflicts and what else there is to know.
func PlanText(w io.Writer, p tune.Plan, s Style) error {
	t := planText{style: s, width: min(max(s.Width, 40), maxTextWidth)}
	t.line(s.paint(bold, "plan")+"  "+planTitle(p), "")
	if m := p.For; m != nil {
		t.line(s.paint(dim, measuredLine(m)), "")
	}
	if u := p.Unsupported; u != nil {
		t.line("", "")
		t.wrapped(s.paint(red, "UNSUPPORTED")+"  ", "  ", u.What)
		t.wrapped("  next: ", "  ", u.Next)
		if u.Snippet != "" {
			t.line("", "")
			for line := range strings.Lines(u.Snippet) {
				t.line("    "+strings.TrimRight(line, "\n"), "")
			}
		}
	}
	t.changes(p, tune.Now, "now")
	t.changes(p, tune.Boot, "from the next boot on")
	if len(p.Changes) == 0 && p.Unsupported == nil {
		t.line("", "")
		t.line(s.paint(green, "nothing to change"), "")
	}
	t.conflicts(p.Conflicts)
	t.notes(p.Notes)
	_, err := io.WriteString(w, t.b.String())
	return err
}

func planTitle(p tune.Plan) string {
	title := "for this host"
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
		parts = append(parts, "RTT "+milliseconds(m.RTT))
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
		parts = append(parts, fmt.Sprintf("%s %s of %s (%s)", way.word, unit.BitRate(way.Rate).Human(), unit.BitRate(way.Capacity).Human(), strings.Join(causes, ", ")))
	}
	if m.Record != "" {
		parts = append(parts, "record "+m.Record)
	}
	return strings.Join(parts, "; ")
}

// planText collects a plan's lines.
type planText struct {
	b     strings.Builder
	style Style
	width int
}

func (t *planText) line(text, code string) {
	if code != "" {
		text = t.style.paint(code, text)
	}
	t.b.WriteString(text + "\n")
}

// wrapped writes text after lead, further lines after indent.
func (t *planText) wrapped(lead, indent, text string) {
	for i, line := range wrap(text, t.width-len(indent)) {
		if i == 0 {
			t.line(lead+line, "")
			continue
		}
		t.line(indent+line, "")
	}
}

func (t *planText) changes(p tune.Plan, when tune.When, title string) {
	first := true
	for _, c := range p.Changes {
		if c.When != when {
			continue
		}
		if first {
			t.line("", "")
			t.line(title, bold)
			first = false
		}
		t.line(fmt.Sprintf("  %s %s", c.Kind, c.Key), "")
		removed, added := planDiff(c)
		for _, line := range removed {
			t.line("    - "+line, red)
		}
		for _, line := range added {
			t.line("    + "+line, green)
		}
		for _, line := range wrap(c.Why, t.width-6) {
			t.line("      "+line, dim)
		}
	}
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
		if err != nil {
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
		if v, err := tune.Decode[tune.QdiscValue](value); err == nil {
			return []string{qdiscWords(*v)}
		}
	case tune.Route:
		if v, err := tune.Decode[tune.RouteValue](value); err == nil {
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

func (t *planText) conflicts(list []tune.Conflict) {
	for i, c := range list {
		if i == 0 {
			t.line("", "")
			t.line("conflicts", bold)
		}
		t.wrapped("  "+t.style.paint(yellow, c.Key)+"  ", "    ", c.What)
		t.wrapped("    next: ", "    ", c.Next)
	}
}

func (t *planText) notes(list []tune.Note) {
	for i, n := range list {
		if i == 0 {
			t.line("", "")
			t.line("to know", bold)
		}
		t.wrapped("  "+n.About+": ", "    ", n.What)
		for line := range strings.Lines(n.Command) {
			t.line("      "+strings.TrimRight(line, "\n"), bold)
		}
	}
}
