package plan

import (
	"fmt"
	"io"
	"strings"

	"unchoke/internal/report/render"
	"unchoke/internal/tune"
	"unchoke/internal/tune/outcome"
)

// OutcomeText writes what a command did to the host.
func OutcomeText(w io.Writer, o outcome.Outcome, style render.Style) error {
	t := text{render.NewScreen(style)}
	t.host(o.Host)
	if o.Recovered != nil {
		t.Hang(0, render.Plain, fmt.Sprintf("An earlier run was %s: %s reverted first.", o.Recovered.Reason, render.Plural(len(o.Recovered.Took), "change")))
	}
	switch o.Result {
	case outcome.Unchanged:
		t.Line(render.Green.Of("nothing to change"))
	case outcome.WasTried:
		t.Line(render.Yellow.Of(fmt.Sprintf("tried: %s, until %s", render.Plural(len(o.Changes), "change"), o.Deadline.Local().Format("2006-01-02 15:04:05"))))
		until := "until the next reboot"
		if o.Persist {
			until = "for good"
		}
		t.Text("Open a new session, look, and keep them " + until + " with")
		t.Line(render.Bold.Of("  " + outcome.Command(o.Flags, "confirm") + " " + o.Token))
		t.Text("Otherwise they are reverted then.")
		for _, words := range WaitWords(o) {
			t.Hang(0, render.Yellow, words)
		}
	case outcome.Confirmed:
		t.Line(render.Green.Of("confirmed: the changes stay until the next reboot"))
		t.Text(outcome.Command(o.Flags, "apply") + " makes them permanent.")
	case outcome.Applied:
		t.Line(render.Green.Of("applied: " + render.Plural(len(o.Changes), "change")))
	case outcome.Reverted:
		t.Line(render.Green.Of("reverted: " + render.Plural(len(o.Changes), "change") + " taken back"))
	}
	for _, l := range o.Left {
		t.Hang(4, render.Plain, l.Why, render.Plain.Of("  left: "+changeName(l.Change)+": "))
	}
	if o.Verification != nil {
		t.verification(*o.Verification)
	}
	return t.Flush(w)
}

// WaitWords are what to know while a trial waits, a sentence or more each.
func WaitWords(o outcome.Outcome) []string {
	var out []string
	if words := TimerWords(o); words != "" {
		out = append(out, words)
	}
	if o.Timer != nil && o.Timer.Program != "" {
		out = append(out, "The timer runs a copy of unchoke, "+o.Timer.Program+". It is removed when the changes are confirmed or reverted.")
	}
	return out
}

// host heads what is another host's.
func (t text) host(name string) {
	if name != "" {
		t.Line(render.Dim.Of("on " + name))
	}
}

// TimerWords say what a trial's timer does not survive, as long as it waits; empty
// of a unit of systemd's, which survives what a trial does.
func TimerWords(o outcome.Outcome) string {
	if o.Timer == nil || o.Timer.PID == 0 {
		return ""
	}
	return fmt.Sprintf("The timer is process %d, not a unit of systemd's. It survives the end of this session and a lost connection, but nothing that kills every process of the session, container or service that it was started in. If it is killed, the changes stay until %s or a reboot.", o.Timer.PID, outcome.Command(o.Flags, "revert"))
}

// VerificationText writes whether what was applied is in force.
func VerificationText(w io.Writer, v outcome.Verification, style render.Style) error {
	t := text{render.NewScreen(style)}
	t.host(v.Host)
	if len(v.Items) == 0 && len(v.Wrong) == 0 {
		t.Text("nothing was changed on this host by unchoke tune")
	} else {
		t.items(v.Items)
		t.verification(v)
		head := "verified: everything is in force"
		if v.Rebooted {
			head = "verified: everything persisted over the reboot"
		}
		if len(v.Wrong) > 0 {
			t.Line(render.Red.Of("not as applied:"))
			for _, w := range v.Wrong {
				t.Hang(2, render.Plain, w)
			}
		} else {
			t.Line(render.Green.Of(head))
		}
	}
	return t.Flush(w)
}

// StatusText writes what stands on this host, and what became of it.
func StatusText(w io.Writer, st outcome.Status, style render.Style) error {
	t := text{render.NewScreen(style)}
	t.host(st.Host)
	var since string
	if st.Since != nil {
		since = " since " + st.Since.Local().Format("2006-01-02 15:04:05")
	}
	switch {
	case st.Phase == outcome.Idle && st.Lost != nil:
		t.Hang(0, render.Red, "the journal is lost: it lists no change, but there are files that unchoke tune wrote")
	case st.Phase == outcome.Idle && len(st.Live)+st.LiveElsewhere+len(st.LiveUnits) > 0:
		t.Text("no changes to the host; connections were changed:")
	case st.Phase == outcome.Idle:
		t.Hang(0, render.Plain, "no changes: unchoke tune has changed nothing here, or has reverted it")
	case st.Interrupted:
		t.Hang(0, render.Yellow, "interrupted ("+string(st.Phase)+")"+since+": the next "+outcome.Command(st.Flags, "revert")+", try or apply reverts what it left")
	case st.Phase == outcome.Tried:
		t.Hang(0, render.Yellow, "tried"+since+": taken back at "+st.Deadline.Local().Format("2006-01-02 15:04:05")+" unless it is confirmed")
	default:
		t.Line(render.Green.Of("applied" + since))
	}
	if st.Program != "" {
		t.Text("  program  " + st.Program + "  goes with the trial")
	}
	if st.Rebooted {
		t.Text("the host was rebooted since")
	}
	t.items(st.Items)
	if l := st.Lost; l != nil {
		for _, name := range l.Files {
			t.Text("  unknown  file " + name + "  no journal has its earlier content")
		}
		for _, name := range l.Backups {
			t.Text("  backup   " + name)
		}
		t.Hang(2, render.Plain, "the journal may be in another --state directory; otherwise remove these files and reboot, or restore their keys by hand", render.Plain.Of("  next: "))
	}
	t.live(st)
	return t.Flush(w)
}

// live is a line for each connection that was changed while it was open.
func (t text) live(st outcome.Status) {
	for _, i := range st.Live {
		what := fmt.Sprintf("connection %s → %s  %s → %s", i.Local, i.Remote, i.Old, i.New)
		if i.State == outcome.Changed {
			what += ", is " + i.Have
		}
		t.holding(i.State, what)
	}
	for _, u := range st.LiveUnits {
		t.holding(u.State, "what "+u.Unit+" opens  → "+u.New)
	}
	if n := st.LiveElsewhere; n > 0 {
		t.Text("  " + render.Plural(n, "changed connection") + " in other network namespaces")
	}
	if len(st.Live)+st.LiveElsewhere+len(st.LiveUnits) > 0 {
		t.Hang(2, render.Plain, "unchoke tune live --revert gives connections their old algorithm back", render.Plain.Of("  next: "))
	}
}

// items are one line each: what became of the change, what it is, and what the
// host has where that is something else.
func (t text) items(items []outcome.Item) {
	for _, i := range items {
		what := changeName(i.Change) + "  " + summary(i.Change.Kind, i.Change.New)
		if i.State == outcome.Changed {
			what += ", is " + summary(i.Change.Kind, i.Have)
		}
		t.holding(i.State, what)
	}
}

// holding is a line with what became of a change.
func (t text) holding(state outcome.Holding, what string) {
	colours := map[outcome.Holding]render.Colour{outcome.Held: render.Green, outcome.Changed: render.Red, outcome.Gone: render.Yellow, outcome.Back: render.Yellow, outcome.Waits: render.Dim}
	t.Line(render.Plain.Of("  "), colours[state].Of(render.Pad(string(state), stateColumns)), render.Plain.Of("  "+what))
}

// stateColumns is the width of the longest Holding.
const stateColumns = 7

// verification is what was found beside the values.
func (t text) verification(v outcome.Verification) {
	if c := v.Connection; c != nil {
		t.Text(fmt.Sprintf("  a new connection to %s uses %s", c.To, c.CC))
	}
	if s := v.Sockets; s != nil && s.Old > 0 {
		t.Hang(2, render.Plain, render.Plural(s.Old, "connection")+" opened earlier keep their old algorithm until they close")
	}
}

func changeName(c tune.Change) string { return string(c.Kind) + " " + c.Key }

// summary is a value on one line.
func summary(kind tune.Kind, value *string) string {
	lines := valueLines(kind, value)
	if value == nil {
		return "absent"
	}
	if kind == tune.File && len(lines) > 1 {
		return render.Plural(len(lines), "line")
	}
	return strings.Join(lines, " ")
}
