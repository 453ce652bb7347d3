package fleet

import (
	"fmt"
	"io"
	"slices"
	"time"

	"unchoke/internal/finding"
	"unchoke/internal/fleet"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

// CheckSchema names this version of the document of fleet check.
const CheckSchema = "unchoke.fleet.check/1"

// Check is what `unchoke fleet check` says, and its JSON document.
type Check struct {
	Schema  string    `json:"schema"`
	Version string    `json:"version"` // of unchoke
	Started time.Time `json:"started"`
	fleet.Survey
}

// NewCheck is the report of a survey.
func NewCheck(s fleet.Survey, version string, started time.Time) Check {
	return Check{CheckSchema, version, started, s}
}

// JSON writes the document.
func (c Check) JSON(w io.Writer) error { return render.JSON(w, c) }

// Text writes the report for a terminal.
func (c Check) Text(w io.Writer, style render.Style) error { return c.sheet().text(w, style) }

// Markdown writes it for an issue or a forum.
func (c Check) Markdown(w io.Writer) error { return c.sheet().markdown(w) }

// HTML writes it as one file that needs no other.
func (c Check) HTML(w io.Writer) error { return c.sheet().html(w) }

func (c Check) sheet() sheet {
	s := sheet{Title: "fleet", Started: c.Started, Version: c.Version}
	s.Subtitle = fmt.Sprintf("%s, from here to each", render.Plural(len(c.Hosts), "host"))
	if c.Mesh {
		s.Subtitle = fmt.Sprintf("%s, each with each", render.Plural(len(c.Hosts), "host"))
	}
	s.Leads = []lead{c.lead()}
	s.Columns = []render.Column{{Head: "from", Left: true}, {Head: "to", Left: true}, {Head: "RTT"}, {Head: "there"}, {Head: "back"}, {Head: "there is", Left: true}, {Head: "back is", Left: true}, {Head: whyHead, Left: true}}
	if !c.Mesh {
		s.Columns[0], s.Columns[1] = s.Columns[1], s.Columns[0]
		s.Columns[0].Head = "host"
	}
	paths := slices.Clone(c.Paths)
	slices.SortStableFunc(paths, func(a, b fleet.Path) int { return order(a) - order(b) })
	for _, p := range paths {
		first, second := p.To, p.From
		if c.Mesh {
			first, second = p.From, p.To
		}
		up, upIs := wayCells(p, record.Up)
		down, downIs := wayCells(p, record.Down)
		for i, text := range []string{first, second, render.Known(p.RTT, render.Time), up, down, upIs, downIs, p.Error} {
			s.Columns[i].Cells = append(s.Columns[i].Cells, text)
		}
		s.Kinds = append(s.Kinds, []string{"bad", "", "", "good"}[order(p)])
	}
	if !c.Mesh {
		s.Columns = slices.Delete(s.Columns, 1, 2)
	}
	seen := map[string]bool{}
	for _, p := range paths {
		if p.Hint != "" && !seen[p.Hint] {
			seen[p.Hint] = true
			s.Notes = append(s.Notes, note{"next", p.To + ": " + p.Hint})
		}
	}
	return s
}

// lead counts the paths that are not as they should be. Of an unclear one it is
// not known whether it is slow.
func (c Check) lead() lead {
	count := [4]int{} // by order
	for _, p := range c.Paths {
		count[order(p)]++
	}
	failed, slow, unclear := count[0], count[1], count[2]
	also := ""
	if unclear > 0 {
		also = fmt.Sprintf(", %d unclear", unclear)
	}
	switch total := render.Plural(len(c.Paths), "path"); {
	case failed > 0:
		return lead{"bad", "NOT ALL REACHED", fmt.Sprintf("%d of %s failed, %d are slow%s", failed, total, slow, also), ""}
	case slow > 0:
		return lead{"wait", "SLOW", fmt.Sprintf("%d of %s%s", slow, total, also), ""}
	case unclear > 0:
		return lead{"wait", "UNCLEAR", fmt.Sprintf("%d of %s, none is known to be slow", unclear, total), ""}
	default:
		return lead{"good", "HEALTHY", "all of " + total, ""}
	}
}

// order is that of the rows: failed, slow, unclear, healthy.
func order(p fleet.Path) int {
	switch verdict := worst(p); {
	case p.Error != "":
		return 0
	case verdict.Fault():
		return 1
	case verdict == finding.Unclear:
		return 2
	}
	return 3
}

// worst is a verdict of the path's that says why it is slow, if there is one, and
// else one that is unclear.
func worst(p fleet.Path) finding.Cause {
	verdict := finding.Healthy
	for _, w := range p.Ways {
		if w.Verdict.Fault() {
			return w.Verdict
		}
		if w.Verdict == finding.Unclear {
			verdict = finding.Unclear
		}
	}
	return verdict
}

func wayCells(p fleet.Path, d record.Direction) (rate, verdict string) {
	for _, w := range p.Ways {
		if w.Direction == d {
			return render.Rate(w.Rate), string(w.Verdict)
		}
	}
	return "", ""
}
