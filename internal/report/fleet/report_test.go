package fleet

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"unchoke/internal/finding"
	"unchoke/internal/fleet"
	"unchoke/internal/fleet/inventory"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
	"unchoke/internal/tune"
	"unchoke/internal/tune/outcome"
)

// hostile is what a host may answer.
const hostile = "\x1b[2Jgone<script>alert(1)</script>|a|\u202e"

func halted(t *testing.T) *fleet.Rollout {
	t.Helper()
	var members []fleet.Member
	for _, name := range []string{"gains", "same", "slower", "refused", "waits"} {
		members = append(members, fleet.Member{Host: inventory.Host{Name: name, Address: name}})
	}
	r, err := fleet.NewRollout("id", "test", time.Unix(0, 0).UTC(), fleet.Settings{Batch: "3,1", Rounds: 4, Timeout: 120}, members)
	if err != nil {
		t.Fatal(err)
	}
	change := tune.Change{Kind: tune.Sysctl, Key: "net.ipv4.tcp_congestion_control", When: tune.Now, Old: new("cubic"), New: new("bbr")}
	rates := func(by float64) fleet.Rates {
		return fleet.Rates{Down: []float64{100e6 * by, 101e6 * by, 99e6 * by, 102e6 * by}, Up: []float64{50e6, 51e6, 50.5e6, 50.2e6}}
	}
	for i, e := range r.Entries {
		e.Plan, e.Verdict = &tune.Plan{Changes: []tune.Change{change}}, &fleet.Verdict{Fitness: fleet.Ready}
		e.Facts = &fleet.Facts{Kernel: "6.12"}
		e.Batch = i / 3
	}
	after := []float64{2, 1, 0.3}
	for i, by := range after {
		e := r.Entries[i]
		before, now := rates(1), rates(by)
		now.Down = append(now.Down, rates(by).Down...)
		e.Before, e.After, e.Stage = &before, &now, fleet.Kept
		e.Gains = []fleet.Gain{fleet.NewGain(record.Down, before.Down, now.Down), fleet.NewGain(record.Up, before.Up, now.Up)}
	}
	since := rates(1)
	r.Entries[2].Stage, r.Entries[2].Since = fleet.Reverted, &since
	r.Entries[3].Stage = fleet.Passed
	r.Entries[3].Verdict = &fleet.Verdict{Fitness: fleet.Refused, Reasons: []fleet.Reason{{Code: "conflict", What: hostile, Next: "fix it"}}}
	r.Begun, r.Batches = true, []int{3, 1}
	r.Halt = &fleet.Halt{Host: "slower", Batch: 0, Why: "its path is slower"}
	return r
}

// What is wrong comes first, then where nothing was gained, then the gains.
func TestRolloutOrder(t *testing.T) {
	var names []string
	for _, e := range NewRollout(halted(t)).ordered() {
		names = append(names, e.Host)
	}
	if want := []string{"slower", "refused", "same", "gains", "waits"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

func TestRolloutForms(t *testing.T) {
	for name, r := range map[string]Rollout{"rollout": NewRollout(halted(t)), "plan": NewPlan(halted(t))} {
		text := forms(t, r)
		if !strings.Contains(text, "HALTED") || !strings.Contains(text, "at slower") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
	text := forms(t, NewRollout(halted(t)))
	for _, want := range []string{"2.00×", "0.300×", "again after the revert", "taken back", "changed", "untouched"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	done := halted(t)
	done.Halt, done.Done = nil, true
	if text := forms(t, NewRollout(done)); !strings.Contains(text, "1 of 2 gained") {
		t.Errorf("done:\n%s", text)
	}
}

// forms writes a report in each form, looks that nothing hostile gets through, and
// returns the text.
func forms(t *testing.T, r interface {
	sheet() sheet
},
) string {
	t.Helper()
	s := r.sheet()
	var text, markdown, html bytes.Buffer
	if err := errors.Join(s.text(&text, render.Style{Width: 150}), s.markdown(&markdown), s.html(&html)); err != nil {
		t.Fatal(err)
	}
	for name, out := range map[string]string{"text": text.String(), "markdown": markdown.String(), "html": html.String()} {
		if strings.ContainsAny(out, "\x1b\u202e") || name == "html" && strings.Contains(out, "<script>") {
			t.Errorf("%s lets something through:\n%s", name, out)
		}
	}
	return text.String()
}

func TestCheckForms(t *testing.T) {
	healthy := fleet.Path{From: "local", To: "a", RTT: 0.05, Ways: []fleet.PathWay{
		{Direction: record.Up, Rate: 1e8, Verdict: finding.Healthy}, {Direction: record.Down, Rate: 2e8, Verdict: finding.Healthy},
	}}
	slow := healthy
	slow.To, slow.Ways = "b", []fleet.PathWay{{Direction: record.Up, Rate: 1e6, Verdict: finding.LossLimited}}
	failed := fleet.Path{From: "local", To: "c", Error: hostile, Hint: "open it"}
	c := NewCheck(fleet.Survey{Hosts: []string{"a", "b", "c"}, Paths: []fleet.Path{healthy, slow, failed}}, "test", time.Unix(0, 0))
	text := forms(t, c)
	if !strings.Contains(text, "NOT ALL REACHED") || strings.Index(text, "\n  c ") > strings.Index(text, "\n  b ") || strings.Index(text, "\n  b ") > strings.Index(text, "\n  a ") {
		t.Errorf("\n%s", text)
	}
	c.Mesh = true
	if text := forms(t, c); !strings.Contains(text, "each with each") || !strings.Contains(text, "loss-limited") {
		t.Errorf("\n%s", text)
	}
}

// An unclear path is not known to be slow, and not healthy either.
func TestCheckCountsUnclearApart(t *testing.T) {
	path := func(to string, up, down finding.Cause) fleet.Path {
		return fleet.Path{From: "local", To: to, Ways: []fleet.PathWay{{Direction: record.Up, Verdict: up}, {Direction: record.Down, Verdict: down}}}
	}
	healthy, unclear := path("a", finding.Healthy, finding.Healthy), path("b", finding.Healthy, finding.Unclear)
	slow, failed := path("c", finding.Unclear, finding.LossLimited), fleet.Path{From: "local", To: "d", Error: "no answer"}
	for _, x := range []struct {
		paths []fleet.Path
		want  lead
	}{
		{[]fleet.Path{healthy}, lead{"good", "HEALTHY", "all of 1 path", ""}},
		{[]fleet.Path{healthy, unclear}, lead{"wait", "UNCLEAR", "1 of 2 paths, none is known to be slow", ""}},
		{[]fleet.Path{healthy, unclear, slow}, lead{"wait", "SLOW", "1 of 3 paths, 1 unclear", ""}},
		{[]fleet.Path{healthy, unclear, slow, failed}, lead{"bad", "NOT ALL REACHED", "1 of 4 paths failed, 1 are slow, 1 unclear", ""}},
	} {
		s := NewCheck(fleet.Survey{Paths: x.paths}, "test", time.Unix(0, 0)).sheet()
		if s.Leads[0] != x.want {
			t.Errorf("%+v, want %+v", s.Leads[0], x.want)
		}
		if rows := s.Columns[0].Cells; !slices.IsSortedFunc(rows, func(a, b string) int { return strings.Compare(b, a) }) {
			t.Errorf("the worst is not first: %q", rows)
		}
	}
}

func TestAskedForms(t *testing.T) {
	a := fleet.Asked{Verb: "verify", Answers: []fleet.Reply{
		{Host: "well", Verification: &outcome.Verification{Items: []outcome.Item{{}}}},
		{Host: "ill", Verification: &outcome.Verification{Items: []outcome.Item{{}}, Wrong: []string{hostile}}},
		{Host: "gone", Error: "no answer", Hint: "start it"},
		{Host: "stands", Status: &outcome.Status{Phase: outcome.Kept}},
		{Host: "back", Outcome: &outcome.Outcome{Result: outcome.Reverted}},
	}}
	text := forms(t, NewAsked(a, "test", time.Unix(0, 0)))
	for _, want := range []string{"NOT AS IT SHOULD BE", "2 of 5 hosts", "in force", "not in force", "changes stand", "reverted", "not known"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
