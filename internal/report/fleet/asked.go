package fleet

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"unchoke/internal/fleet"
	"unchoke/internal/report/render"
	"unchoke/internal/tune/outcome"
)

// AskedSchema names this version of the document of fleet verify, status and
// revert.
const AskedSchema = "unchoke.fleet.hosts/1"

// Asked is what those say, and their JSON document.
type Asked struct {
	Schema  string    `json:"schema"`
	Version string    `json:"version"` // of unchoke
	Started time.Time `json:"started"`
	fleet.Asked
}

// NewAsked is the report of what hosts answered.
func NewAsked(a fleet.Asked, version string, started time.Time) Asked {
	return Asked{AskedSchema, version, started, a}
}

// JSON writes the document.
func (a Asked) JSON(w io.Writer) error { return render.JSON(w, a) }

// Text writes the report for a terminal.
func (a Asked) Text(w io.Writer, style render.Style) error { return a.sheet().text(w, style) }

// Markdown writes it for an issue or a forum.
func (a Asked) Markdown(w io.Writer) error { return a.sheet().markdown(w) }

// HTML writes it as one file that needs no other.
func (a Asked) HTML(w io.Writer) error { return a.sheet().html(w) }

func (a Asked) sheet() sheet {
	s := sheet{Title: "fleet", Subtitle: a.Verb + " of " + render.Plural(len(a.Answers), "host"), Started: a.Started, Version: a.Version}
	failed := 0
	for _, r := range a.Answers {
		if r.Failed() {
			failed++
		}
	}
	switch {
	case failed > 0:
		s.Leads = []lead{{"bad", "NOT AS IT SHOULD BE", fmt.Sprintf("%d of %s", failed, render.Plural(len(a.Answers), "host")), ""}}
	case a.Verb != "status":
		s.Leads = []lead{{"good", "DONE", "all of " + render.Plural(len(a.Answers), "host"), ""}}
	}
	if r := a.Rollout; r != nil {
		l := NewRollout(r).leads()[0]
		l.Body = "Of the newest rollout with these hosts, " + r.ID + ". What follows the hosts say themselves."
		s.Leads = append(s.Leads, l)
	}
	s.Columns = []render.Column{{Head: "host", Left: true}, {Head: "state", Left: true}, {Head: "changes"}, {Head: "since", Left: true}, {Head: whyHead, Left: true}}
	replies := slices.Clone(a.Answers)
	slices.SortStableFunc(replies, func(x, y fleet.Reply) int { return b2i(y.Failed()) - b2i(x.Failed()) })
	for _, r := range replies {
		state, changes, since, why := cells(r)
		for i, text := range []string{r.Host, state, changes, since, why} {
			s.Columns[i].Cells = append(s.Columns[i].Cells, text)
		}
		kind := "good"
		if r.Failed() {
			kind = "bad"
		}
		s.Kinds = append(s.Kinds, kind)
		if r.Hint != "" && len(s.Notes) < 8 {
			s.Notes = append(s.Notes, note{"next", r.Host + ": " + r.Hint})
		}
	}
	return s
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// phases are what a journal says, in words.
var phases = map[outcome.Phase]string{
	outcome.Idle: "no changes", outcome.Kept: "changes stand", outcome.Tried: "on trial",
	outcome.Trying: "interrupted", outcome.Persisting: "interrupted", outcome.Undoing: "interrupted",
}

func cells(r fleet.Reply) (state, changes, since, why string) {
	switch {
	case r.Error != "":
		return "not known", "", "", r.Error
	case r.Outcome != nil:
		var left []string
		for _, l := range r.Outcome.Left {
			left = append(left, l.Change.Key+": "+l.Why)
		}
		return string(r.Outcome.Result), fmt.Sprint(len(r.Outcome.Changes)), "", strings.Join(left, "; ")
	case r.Verification != nil:
		state = "in force"
		if len(r.Verification.Items) == 0 {
			state = "no changes"
		}
		if len(r.Verification.Wrong) > 0 {
			state = "not in force"
		}
		return state, fmt.Sprint(len(r.Verification.Items)), "", strings.Join(r.Verification.Wrong, "; ")
	case r.Status != nil:
		s := r.Status
		state = phases[s.Phase]
		if s.Since != nil {
			since = render.When(s.Since.Local())
		}
		switch {
		case s.Lost != nil:
			why = "files of unchoke tune are there, and no journal tells of them"
		case s.Deadline != nil:
			why = "its timer takes them back at " + render.When(s.Deadline.Local())
		}
		return state, fmt.Sprint(len(s.Items)), since, why
	}
	return "", "", "", ""
}
