package plan

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"unchoke/internal/finding"
	"unchoke/internal/report/render"
	"unchoke/internal/tune"
	"unchoke/internal/tune/outcome"
)

// lossy is a path whose description takes more than a line.
var lossy = tune.Measured{
	Target: "far.example.net:5201", Record: "20261120-131207-3fa91c", RTT: 0.05,
	Down: &tune.Way{Rate: 27.7e9, Capacity: 27.7e9, Causes: []finding.Cause{finding.Healthy}},
	Up:   &tune.Way{Rate: 18e6, Capacity: 90e6, Causes: []finding.Cause{finding.LossLimited, finding.Bufferbloat}},
}

// What was measured keeps to a narrow terminal.
func TestWidth(t *testing.T) {
	for name, write := range map[string]func(io.Writer, render.Style) error{
		"plan": func(w io.Writer, s render.Style) error { return Text(w, tune.Plan{For: &lossy}, s) },
		"explanation": func(w io.Writer, s render.Style) error {
			return ExplanationText(w, tune.Explanation{Wanted: "bbr", For: &lossy}, s)
		},
	} {
		var b bytes.Buffer
		if err := write(&b, render.Style{Width: 60}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "\n  ") || !strings.Contains(b.String(), "path to far.example.net:5201") {
			t.Errorf("%s: no path, or not in lines of its own:\n%s", name, &b)
		}
		for line := range strings.SplitSeq(b.String(), "\n") {
			if n := utf8.RuneCountInString(line); n > 60 {
				t.Errorf("%s: %d columns: %s", name, n, line)
			}
		}
	}
}

// The commands in a report act on the host and the journal that it is about.
func TestCommandsHaveTheirFlags(t *testing.T) {
	for name, c := range map[string]struct {
		write func(w io.Writer, flags string) error
		verbs []string
	}{
		"tried": {func(w io.Writer, flags string) error {
			o := outcome.Outcome{Result: outcome.WasTried, Flags: flags, Token: "k7f3-9q2m", Deadline: new(time.Time), Timer: &outcome.Timer{PID: 42}}
			return OutcomeText(w, o, render.Style{})
		}, []string{"confirm", "revert"}},
		"confirmed": {func(w io.Writer, flags string) error {
			return OutcomeText(w, outcome.Outcome{Result: outcome.Confirmed, Flags: flags}, render.Style{})
		}, []string{"apply"}},
		"interrupted": {func(w io.Writer, flags string) error {
			return StatusText(w, outcome.Status{Phase: outcome.Trying, Interrupted: true, Flags: flags}, render.Style{})
		}, []string{"revert"}},
	} {
		for _, flags := range []string{"", " --on ssh://me@far --become --state /srv/a"} {
			var b bytes.Buffer
			if err := c.write(&b, strings.TrimSpace(flags)); err != nil {
				t.Fatal(err)
			}
			text := strings.Join(strings.Fields(b.String()), " ") // however it is broken into lines
			for _, verb := range c.verbs {
				command := "unchoke tune " + verb
				if !strings.Contains(text, command+flags) || flags == "" && strings.Contains(text, command+" --") {
					t.Errorf("%s: no %s%s in\n%s", name, command, flags, &b)
				}
			}
		}
	}
}

// An explanation ends with the comparison that shows what the algorithm changes,
// where one can.
func TestExplanationEndsWithTheNextStep(t *testing.T) {
	over := func(target string) *tune.Measured { m := lossy; m.Target = target; return &m }
	for name, c := range map[string]struct {
		e    tune.Explanation
		want string
	}{
		"in force":           {tune.Explanation{Wanted: "bbr", Default: "bbr", For: &lossy}, "unchoke ab far.example.net:5201 --arm cc=cubic --arm cc=bbr"},
		"another in force":   {tune.Explanation{Wanted: "bbr", Default: "htcp", For: &lossy}, "unchoke ab far.example.net:5201 --arm cc=htcp --arm cc=bbr"},
		"the usual one":      {tune.Explanation{Wanted: "cubic", Default: "cubic", For: &lossy}, "unchoke ab far.example.net:5201 --arm cc=reno --arm cc=cubic"},
		"over ssh":           {tune.Explanation{Wanted: "bbr", Default: "bbr", For: over("ssh://far")}, "unchoke ab ssh://far --arm cc=cubic --arm cc=bbr"},
		"a name that is odd": {tune.Explanation{Wanted: "bbr", Default: "bbr", For: over("far; reboot")}, "unchoke ab 'far; reboot' --arm cc=cubic --arm cc=bbr"},
		"no path":            {tune.Explanation{Wanted: "bbr", Default: "bbr"}, ""},
		"a download":         {tune.Explanation{Wanted: "bbr", Default: "bbr", For: over("https://far/file")}, ""},
		"an image":           {tune.Explanation{Wanted: "bbr", For: &lossy}, ""},
		"no such algorithm":  {tune.Explanation{Wanted: "bbr", Default: "cubic", For: &lossy, Reasons: []tune.Because{{Reason: string(tune.NoModule)}}}, ""},
	} {
		var b bytes.Buffer
		if err := ExplanationText(&b, c.e, render.Style{Width: 80}); err != nil {
			t.Fatal(err)
		}
		_, last, _ := strings.Cut(b.String(), "To measure what "+c.e.Wanted+" changes on this path:\n")
		if got := strings.TrimSpace(last); got != c.want {
			t.Errorf("%s: ends with %q, want %q", name, got, c.want)
		}
	}
}
