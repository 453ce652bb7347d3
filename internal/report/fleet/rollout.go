package fleet

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"unchoke/internal/fleet"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
	"unchoke/internal/stats"
	"unchoke/internal/tune"
)

// Rollout is what `unchoke fleet plan` and `apply` say, and their JSON document.
type Rollout struct {
	*fleet.Rollout
	// planned: only the preflight was made.
	planned bool
}

// NewRollout is the report of a rollout.
func NewRollout(r *fleet.Rollout) Rollout { return Rollout{r, false} }

// NewPlan is the report of a rollout of which only the preflight was made.
func NewPlan(r *fleet.Rollout) Rollout { return Rollout{r, true} }

// JSON writes the document.
func (r Rollout) JSON(w io.Writer) error { return render.JSON(w, r.Rollout) }

// Text writes the report for a terminal.
func (r Rollout) Text(w io.Writer, style render.Style) error { return r.sheet().text(w, style) }

// Markdown writes it for an issue or a forum.
func (r Rollout) Markdown(w io.Writer) error { return r.sheet().markdown(w) }

// HTML writes it as one file that needs no other.
func (r Rollout) HTML(w io.Writer) error { return r.sheet().html(w) }

func (r Rollout) sheet() sheet {
	s := sheet{Title: "fleet", Subtitle: r.subtitle(), Started: r.Started, Version: r.Version}
	s.Leads = r.leads()
	entries := r.ordered()
	if r.planned {
		s.Columns, s.Kinds = r.planTable(entries)
		s.Groups = plans(entries)
	} else {
		s.Columns, s.Kinds = r.table(entries)
		s.Marks = marks(entries)
		if !r.Begun {
			s.Groups = plans(entries)
		}
	}
	s.Notes = r.notes(entries)
	return s
}

func (r Rollout) subtitle() string {
	text := render.Plural(len(r.Entries), "host")
	if len(r.Batches) > 0 {
		var sizes []string
		for _, n := range r.Batches {
			sizes = append(sizes, fmt.Sprint(n))
		}
		text += ", in batches of " + strings.Join(sizes, ", ")
	}
	if scope := r.Settings.Scope.String(); scope != "host" {
		text += ", only " + scope
	}
	if !r.planned {
		text += "; rollout " + r.ID
	}
	return text
}

// leads are what it came to.
func (r Rollout) leads() []lead {
	count := func(stages ...fleet.Stage) (n int) {
		for _, e := range r.Entries {
			if slices.Contains(stages, e.Stage) {
				n++
			}
		}
		return n
	}
	fit := func(f fleet.Fitness) (n int) {
		for _, e := range r.Entries {
			if e.Verdict != nil && e.Verdict.Fitness == f {
				n++
			}
		}
		return n
	}
	if h := r.Halt; h != nil {
		l := lead{"bad", "HALTED", h.Why, ""}
		if h.Host != "" {
			l.Rest = "at " + h.Host + ": " + h.Why
		}
		if h.Batch < 0 {
			l.Body = "Nothing was touched."
		} else {
			l.Body = fmt.Sprintf("Batch %d of %d was under way. %s for good, %s back, %s; %s.", h.Batch+1, len(r.Batches),
				render.Capital(render.Plural(count(fleet.Kept), "host"))+" changed", render.Plural(count(fleet.Reverted), "host")+" taken", render.Plural(count(fleet.Waiting, fleet.Passed, fleet.Measured), "host")+" untouched",
				stuck(count(fleet.Adrift)))
		}
		if h.Next != "" {
			l.Body += " Next: " + h.Next
		}
		return []lead{l}
	}
	switch {
	case r.planned && fit(fleet.Refused) > 0:
		return []lead{{"wait", "PLAN", fmt.Sprintf("%s ready, %s with nothing to change, %s refused", render.Plural(fit(fleet.Ready), "host"), render.Plural(fit(fleet.Settled), "host"), render.Plural(fit(fleet.Refused), "host")), ""}}
	case r.planned:
		return []lead{{"good", "PLAN", fmt.Sprintf("%s ready, %s with nothing to change", render.Plural(fit(fleet.Ready), "host"), render.Plural(fit(fleet.Settled), "host")), ""}}
	case r.Done:
		gained := 0
		for _, e := range r.Entries {
			if fleet.Gained(e.Gains) {
				gained++
			}
		}
		l := lead{"good", "DONE", fmt.Sprintf("%s changed, %s left as they were", render.Plural(count(fleet.Kept), "host"), render.Plural(count(fleet.Passed), "host")), ""}
		if r.Settings.Rounds > 0 && count(fleet.Kept) > 0 {
			l.Body = fmt.Sprintf("%d of %d gained.", gained, count(fleet.Kept))
		}
		return []lead{l}
	}
	return []lead{{"wait", "NOT DONE", "it was stopped before its end", "unchoke fleet apply --resume goes on"}}
}

func stuck(n int) string {
	if n == 0 {
		return "none is left in between"
	}
	return render.Plural(n, "host") + " changed and could not be asked or reverted"
}

// ordered are the hosts, those first with which something is wrong, then those
// where nothing was gained.
func (r Rollout) ordered() []*fleet.Entry {
	rank := func(e *fleet.Entry) int {
		slower, unclear := false, len(e.Gains) > 0
		for _, g := range e.Gains {
			slower = slower || g.Answer == fleet.Slower
			unclear = unclear && g.Answer == fleet.Unclear
		}
		switch {
		case e.Stage == fleet.Adrift:
			return 0
		case r.Halt != nil && e.Host == r.Halt.Host:
			return 1
		case slower:
			return 2
		case e.Error != "" || e.Verdict != nil && e.Verdict.Fitness == fleet.Refused:
			return 3
		case len(e.Gains) > 0 && !fleet.Gained(e.Gains) && !unclear:
			return 4
		case unclear:
			return 5
		case len(e.Gains) > 0:
			return 6
		case e.Verdict != nil && e.Verdict.Fitness == fleet.Settled:
			return 8
		}
		return 7
	}
	out := slices.Clone(r.Entries)
	slices.SortStableFunc(out, func(a, b *fleet.Entry) int {
		if d := rank(a) - rank(b); d != 0 || rank(a) != 6 {
			return d
		}
		switch x, y := best(a), best(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return out
}

func best(e *fleet.Entry) (ratio float64) {
	for _, g := range e.Gains {
		ratio = max(ratio, g.Ratio)
	}
	return ratio
}

// state is where a host stands, in words.
func state(e *fleet.Entry) string {
	switch e.Stage {
	case fleet.Passed:
		if e.Verdict != nil && e.Verdict.Fitness == fleet.Refused {
			return "refused"
		}
		return "nothing to change"
	case fleet.Kept:
		return "changed"
	case fleet.Confirmed, fleet.Judged, fleet.Keeping:
		return "changed until the next reboot"
	case fleet.Trying, fleet.Tried, fleet.Verified:
		return "on trial"
	case fleet.Reverting, fleet.Adrift:
		return "not known"
	case fleet.Reverted:
		return "taken back"
	}
	if e.Verdict != nil && e.Verdict.Fitness == fleet.Refused {
		return "refused"
	}
	return "untouched"
}

func kind(e *fleet.Entry) string {
	switch {
	case e.Error != "", e.Stage == fleet.Adrift, e.Verdict != nil && e.Verdict.Fitness == fleet.Refused:
		return "bad"
	case fleet.Gained(e.Gains) && e.Stage == fleet.Kept:
		return "good"
	}
	for _, g := range e.Gains {
		if g.Answer == fleet.Slower {
			return "bad"
		}
	}
	return ""
}

// table has a row a host: before, after, and the gain with its interval.
func (r Rollout) table(entries []*fleet.Entry) (columns []render.Column, kinds []string) {
	columns = []render.Column{{Head: "host", Left: true}, {Head: "batch"}, {Head: "state", Left: true}}
	if r.Settings.Rounds > 0 {
		columns = append(columns,
			render.Column{Head: "host sends"}, render.Column{Head: "then"}, render.Column{Head: "gain [95 %]"},
			render.Column{Head: "host receives"}, render.Column{Head: "then"}, render.Column{Head: "gain [95 %]"},
		)
	}
	columns = append(columns, render.Column{Head: whyHead, Left: true})
	for _, e := range entries {
		batch := "–"
		if e.Stage != fleet.Passed && len(r.Batches) > 0 {
			batch = fmt.Sprint(e.Batch + 1)
		}
		cells := []string{e.Host, batch, state(e)}
		if r.Settings.Rounds > 0 {
			cells = append(cells, rates(e, record.Down)...)
			cells = append(cells, rates(e, record.Up)...)
		}
		for i, text := range append(cells, why(e)) {
			columns[i].Cells = append(columns[i].Cells, text)
		}
		kinds = append(kinds, kind(e))
	}
	return columns, kinds
}

func rates(e *fleet.Entry, d record.Direction) []string {
	for _, g := range e.Gains {
		if g.Direction == d {
			return []string{render.Rate(g.Before), render.Rate(g.After), gainWords(g)}
		}
	}
	if e.Before != nil {
		was := e.Before.Down
		if d == record.Up {
			was = e.Before.Up
		}
		if len(was) > 0 {
			return []string{render.Rate(stats.Median(was)), "", ""}
		}
	}
	return []string{"", "", ""}
}

func gainWords(g fleet.Gain) string {
	text := render.RatioInterval(g.Ratio, g.Interval)
	if g.Answer == fleet.Unclear {
		text = "~ " + text // as benchstat marks what noise may be
	}
	return text
}

// why is what speaks against a host, or failed there.
func why(e *fleet.Entry) string {
	if e.Error != "" {
		return e.Error
	}
	if e.Verdict != nil && len(e.Verdict.Reasons) > 0 {
		return e.Verdict.Reasons[0].What
	}
	for _, g := range e.Gains {
		if g.Answer != fleet.Slower {
			continue
		}
		text := "slower"
		if since := e.Since; since != nil {
			back := since.Down
			if g.Direction == record.Up {
				back = since.Up
			}
			if len(back) > 0 {
				text = fmt.Sprintf("slower; %s again after the revert", render.Rate(stats.Median(back)))
				if stats.Median(back) < g.Before*0.9 {
					text = fmt.Sprintf("slower, and after the revert too (%s): the path itself may have changed", render.Rate(stats.Median(back)))
				}
			}
		}
		return text
	}
	return ""
}

func marks(entries []*fleet.Entry) []mark {
	var out []mark
	for _, e := range entries {
		for _, g := range e.Gains {
			if g.Ratio == 0 {
				continue
			}
			m := mark{Host: e.Host, Ratio: g.Ratio, Low: g.Interval.Low, High: g.Interval.High, Text: gainWords(g)}
			if m.Host += " sends"; g.Direction == record.Up {
				m.Host = e.Host + " receives"
			}
			m.Host = render.Clip(m.Host, 30)
			switch g.Answer {
			case fleet.Faster:
				m.Kind = "good"
			case fleet.Slower:
				m.Kind = "bad"
			}
			out = append(out, m)
		}
	}
	return out
}

// planTable has each host's verdict.
func (r Rollout) planTable(entries []*fleet.Entry) (columns []render.Column, kinds []string) {
	columns = []render.Column{{Head: "host", Left: true}, {Head: "batch"}, {Head: "verdict", Left: true}, {Head: "changes"}, {Head: "conflicts"}, {Head: "kernel", Left: true}, {Head: whyHead, Left: true}}
	for _, e := range entries {
		batch, verdict, changes, conflicts, kernel := "–", "", "–", "–", ""
		if e.Verdict != nil {
			verdict = string(e.Verdict.Fitness)
			if e.Verdict.Fitness == fleet.Settled {
				verdict = "nothing to change"
			}
			if e.Verdict.Fitness == fleet.Ready && len(r.Batches) > 0 {
				batch = fmt.Sprint(e.Batch + 1)
			}
		}
		if e.Plan != nil {
			changes, conflicts = fmt.Sprint(len(e.Plan.Changes)), fmt.Sprint(len(e.Plan.Conflicts))
		}
		if e.Facts != nil {
			kernel = e.Facts.Kernel
		}
		for i, text := range []string{e.Host, batch, verdict, changes, conflicts, kernel, why(e)} {
			columns[i].Cells = append(columns[i].Cells, text)
		}
		kinds = append(kinds, kind(e))
	}
	return columns, kinds
}

// plans are the diffs, each once with the hosts that have it.
func plans(entries []*fleet.Entry) []group {
	var out []group
	at := map[string]int{}
	var hosts [][]string
	for _, e := range entries {
		if e.Plan == nil || len(e.Plan.Changes) == 0 {
			continue
		}
		var lines []string
		for _, c := range e.Plan.Changes {
			when := ""
			if c.When == tune.Boot {
				when = " (from the next boot on)"
			}
			lines = append(lines, fmt.Sprintf("%s %s: %s → %s%s", c.Kind, c.Key, tune.Words(c.Kind, c.Old), tune.Words(c.Kind, c.New), when))
		}
		for _, c := range e.Plan.Conflicts {
			lines = append(lines, "conflict: "+c.What+" "+c.Next)
		}
		text := strings.Join(lines, "\n")
		i, known := at[text]
		if !known {
			i = len(out)
			at[text] = i
			out = append(out, group{Lines: lines})
			hosts = append(hosts, nil)
		}
		hosts[i] = append(hosts[i], e.Host)
	}
	for i := range out {
		out[i].Title = some(hosts[i])
	}
	return out
}

// some names a few of many.
func some(names []string) string {
	const most = 6
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// notes are next steps, each once.
func (r Rollout) notes(entries []*fleet.Entry) []note {
	var out []note
	seen := map[string]bool{}
	add := func(label, text string) {
		if text != "" && !seen[text] {
			seen[text] = true
			out = append(out, note{label, text})
		}
	}
	for _, e := range entries {
		if e.Stage == fleet.Adrift {
			add("warning", e.Host+" was touched, and what stands there is not known: "+e.Error)
		}
		if e.Verdict != nil {
			for _, reason := range e.Verdict.Reasons {
				if reason.Next != "" {
					add("next", reason.Code+": "+reason.Next)
				}
			}
		}
		if e.Facts != nil {
			for _, w := range e.Facts.Warnings {
				add("warning", e.Host+": "+w)
			}
		}
	}
	const most = 12
	if len(out) > most {
		out = append(out[:most], note{"note", fmt.Sprintf("%d more are in the JSON document", len(out)-most)})
	}
	return out
}
