package tui

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"unchoke/internal/finding"
	"unchoke/internal/hint"
	"unchoke/internal/live"
	"unchoke/internal/report/render"
)

// mostNotes is how many of a snapshot's notes the table shows.
const mostNotes = 2

// header are the lines above the table: what there is, what is made of it, and
// what stands in the way.
func (m model) header() []string {
	s := m.snapshot
	if s == nil {
		waiting := "waiting for the first look …"
		if m.ended {
			waiting = "the source has nothing"
		}
		return []string{m.styles.bold.Render("unchoke watch"), waiting, ""}
	}
	lines := []string{m.totals(s), fitting("", "   ", m.width, m.sums.verdicts), m.state(s)}
	for _, line := range m.fault() {
		lines = append(lines, m.styles.bad.Render(line))
	}
	for i, note := range m.notes {
		if i == mostNotes-1 && len(m.notes) > mostNotes {
			note = fmt.Sprintf("and %d more: ? shows them", len(m.notes)-i)
		}
		if i < mostNotes {
			lines = append(lines, m.styles.warn.Render(cut("note: "+clean(note), m.width)))
		}
	}
	return lines
}

// headerRows is how many lines the header has.
func (m model) headerRows() int {
	return 3 + min(len(m.notes), mostNotes) + len(m.fault())
}

// mostFault is how many lines an error of the filter takes, at most.
const mostFault = 2

// fault is what is wrong with the filter as it is typed; nil where nothing is.
func (m model) fault() []string {
	if m.prompt.err == nil {
		return nil
	}
	lines := wrap(wrong(m.prompt.err), m.width)
	if len(lines) > mostFault {
		rest := strings.Join(lines[mostFault-1:], " ")
		lines = append(lines[:mostFault-1], cut(rest, m.width))
	}
	return lines
}

// sums are of all flows that are open, made once a snapshot.
type sums struct {
	sent, received float64 // bit/s
	verdicts       []string
}

func newSums(flows []*live.Flow) sums {
	var s sums
	by := map[finding.Cause]int{}
	warned := 0
	for _, f := range flows {
		if f.Closed {
			continue
		}
		s.sent += f.SentRate
		s.received += f.ReceivedRate
		by[f.Verdict]++
		if len(f.Warnings) > 0 {
			warned++
		}
	}
	if warned > 0 {
		s.verdicts = append(s.verdicts, fmt.Sprintf("! %d warned", warned))
	}
	for _, c := range ranked(by) {
		s.verdicts = append(s.verdicts, fmt.Sprintf("%d %s", by[c], clean(string(c))))
	}
	return s
}

// ranked are the causes that were counted: what is to be fixed first, then the
// most.
func ranked(by map[finding.Cause]int) []finding.Cause {
	causes := slices.DeleteFunc(slices.Collect(maps.Keys(by)), func(c finding.Cause) bool { return c == "" })
	slices.SortFunc(causes, func(a, b finding.Cause) int {
		return cmp.Or(cmp.Compare(causeRank(a), causeRank(b)), cmp.Compare(by[b], by[a]), cmp.Compare(a, b))
	})
	return causes
}

// totals are the rates of all flows together.
func (m model) totals(s *live.Snapshot) string {
	title := "unchoke watch"
	rest := fitting("", "   ", m.width-len(title)-2, []string{
		s.Time.Format("15:04:05"),
		render.Plural(m.list.total, "flow"),
		"↑ " + render.Rate(m.sums.sent) + "  ↓ " + render.Rate(m.sums.received),
		"every " + render.Time(s.Interval),
	})
	return m.styles.bold.Render(title) + "  " + rest
}

// causeRank puts what is to be fixed before what is not.
func causeRank(c finding.Cause) int {
	switch {
	case c == live.Watching:
		return 3
	case c == finding.AppLimited, c == finding.Unclear:
		return 1
	case c == finding.Healthy:
		return 2
	}
	return 0
}

// state says how the table is arranged and what is out of the ordinary. What is
// out of the ordinary stands first.
func (m model) state(s *live.Snapshot) string {
	var loud, quiet []string
	if m.frozen {
		loud = append(loud, "FROZEN")
	}
	if m.tape != nil {
		loud = append(loud, tapeLine(m.tape))
	}
	if m.ended {
		loud = append(loud, "ENDED")
	}
	switch lost := s.LostEvents; {
	case lost == 1:
		loud = append(loud, "1 end of a flow lost")
	case lost > 1:
		loud = append(loud, fmt.Sprintf("%d ends of flows lost", lost))
	}
	if m.options.Within != "" {
		loud = append(loud, "only: "+clean(m.options.Within))
	}
	if m.filter != "" {
		loud = append(loud, "filter: "+clean(m.filter))
	}
	order := "by " + m.list.order.Column.Key
	if m.list.order.Reversed {
		order += ", reversed"
	}
	quiet = append(quiet, order)
	if m.list.by != "" {
		quiet = append(quiet, "grouped by "+string(m.list.by))
	}
	switch {
	case m.list.closed:
		quiet = append(quiet, fmt.Sprintf("%d closed shown", m.list.closedN))
	case m.list.closedN > 0:
		quiet = append(quiet, fmt.Sprintf("%d closed hidden", m.list.closedN))
	}
	if n := len(m.list.rows); n > m.tableRows() {
		quiet = append(quiet, fmt.Sprintf("rows %d–%d of %d", m.list.top+1, min(m.list.top+m.tableRows(), n), n))
	}
	first := cut(strings.Join(loud, "  "), m.width)
	rest := quiet
	if first == "" {
		return m.styles.faint.Render(fitting("", "  ", m.width, rest))
	}
	return m.styles.warn.Render(first) + m.styles.faint.Render(fitting("", "", m.width-columns(first), indentEach(rest)))
}

func indentEach(parts []string) []string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = "  " + p
	}
	return out
}

// wrong says what is wrong with a filter, and what would be right.
func wrong(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	if next := hint.Of(err); next != "" {
		line += ": " + next
	}
	return clean(line)
}
