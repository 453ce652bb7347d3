package report

import (
	"fmt"
	"io"
	"strings"

	"unchoke/internal/tune"
	"unchoke/internal/tune/apply"
	"unchoke/internal/tune/journal"
)

// OutcomeText writes what a command did to the host.
func OutcomeText(w io.Writer, o apply.Outcome, s Style) error {
	t := planText{style: s, width: min(max(s.Width, 40), maxTextWidth)}
	if o.Recovered != nil {
		t.wrapped("", "", fmt.Sprintf("An earlier run was %s: %s taken back first.", o.Recovered.Reason, plural(len(o.Recovered.Took), "change")))
	}
	switch o.Result {
	case apply.Unchanged:
		t.line("nothing to change", green)
	case apply.WasTried:
		t.line(fmt.Sprintf("tried: %s, until %s", plural(len(o.Changes), "change"), o.Deadline.Local().Format("15:04:05")), yellow)
		t.line("Open a new session, look, and keep them until the next reboot with", "")
		t.line("  unchoke tune confirm "+o.Token, bold)
		t.line("Otherwise they are taken back then.", "")
	case apply.Confirmed:
		t.line("confirmed: the changes stay until the next reboot", green)
		t.line("unchoke tune apply makes them last.", "")
	case apply.Applied:
		t.line("applied: "+plural(len(o.Changes), "change"), green)
	case apply.Reverted:
		t.line("reverted: "+plural(len(o.Changes), "change")+" taken back", green)
	}
	for _, l := range o.Left {
		t.wrapped("  left: "+changeName(l.Change)+": ", "    ", l.Why)
	}
	if o.Verification != nil {
		t.verification(*o.Verification)
	}
	_, err := io.WriteString(w, t.b.String())
	return err
}

// VerificationText writes whether what was applied is in force.
func VerificationText(w io.Writer, v apply.Verification, s Style) error {
	t := planText{style: s, width: min(max(s.Width, 40), maxTextWidth)}
	if len(v.Items) == 0 {
		t.line("nothing was changed on this host by unchoke tune", "")
	} else {
		t.items(v.Items)
		t.verification(v)
		head := "verified: everything is in force"
		if v.Rebooted {
			head = "verified: everything held over the reboot"
		}
		if len(v.Wrong) > 0 {
			t.line("not as applied:", red)
			for _, w := range v.Wrong {
				t.wrapped("  ", "  ", w)
			}
		} else {
			t.line(head, green)
		}
	}
	_, err := io.WriteString(w, t.b.String())
	return err
}

// StatusText writes what stands on this host, and what became of it.
func StatusText(w io.Writer, st apply.Status, s Style) error {
	t := planText{style: s, width: min(max(s.Width, 40), maxTextWidth)}
	var since string
	if st.Since != nil {
		since = " since " + st.Since.Local().Format("2006-01-02 15:04:05")
	}
	switch {
	case st.Phase == journal.Idle:
		t.line("nothing stands: unchoke tune has changed nothing here, or taken it back", "")
	case st.Interrupted:
		t.line("interrupted ("+string(st.Phase)+")"+since+": the next unchoke tune revert, try or apply takes back what there is", yellow)
	case st.Phase == journal.Tried:
		t.line("tried"+since+": taken back at "+st.Deadline.Local().Format("15:04:05")+" unless it is confirmed", yellow)
	default:
		t.line("applied"+since, green)
	}
	if st.Rebooted {
		t.line("the host was rebooted since", "")
	}
	t.items(st.Items)
	_, err := io.WriteString(w, t.b.String())
	return err
}

// items are one line each: what became of the change, what it is, and what the
// host has where that is something else.
func (t *planText) items(items []apply.Item) {
	colours := map[apply.Holding]string{apply.Held: green, apply.Changed: red, apply.Gone: yellow, apply.Back: yellow, apply.Waits: dim}
	for _, i := range items {
		line := fmt.Sprintf("  %s  %s  %s", t.style.paint(colours[i.State], fmt.Sprintf("%-7s", i.State)), changeName(i.Change), summary(i.Change.Kind, i.Change.New))
		if i.State == apply.Changed {
			line += ", is " + summary(i.Change.Kind, i.Have)
		}
		t.line(line, "")
	}
}

// verification is what was found beside the values.
func (t *planText) verification(v apply.Verification) {
	if c := v.Connection; c != nil {
		t.line(fmt.Sprintf("  a new connection to %s uses %s", c.To, c.CC), "")
	}
	if s := v.Sockets; s != nil && s.Old > 0 {
		t.wrapped("  ", "  ", plural(s.Old, "connection")+" of before keep their old algorithm until they end")
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
		return plural(len(lines), "line")
	}
	return strings.Join(lines, " ")
}
