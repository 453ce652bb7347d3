package plan

import (
	"testing"

	"unchoke/internal/tune/outcome"
)

func TestLiveSoFar(t *testing.T) {
	const back = "; unchoke tune live --revert gives the old algorithm back"
	flow := func(s outcome.Became) outcome.LiveFlow { return outcome.LiveFlow{State: s} }
	unit := func(s outcome.Became) []outcome.LiveUnit {
		return []outcome.LiveUnit{{Unit: "web", New: "bbr", State: s}}
	}
	for name, c := range map[string]struct {
		l    outcome.Live
		want string
	}{
		"nothing":     {outcome.Live{Flows: []outcome.LiveFlow{flow(outcome.LiveRecovering), flow("")}}, ""},
		"as it was":   {outcome.Live{Flows: []outcome.LiveFlow{flow(outcome.LiveSame)}, Units: unit(outcome.LiveSame)}, ""},
		"connections": {outcome.Live{Flows: []outcome.LiveFlow{flow(outcome.LiveChanged), flow(outcome.LiveRecovering), flow(outcome.LiveChanged)}}, "changed to bbr already: 2 connections" + back},
		"a unit":      {outcome.Live{Flows: []outcome.LiveFlow{flow("")}, Units: unit(outcome.LiveChanged)}, "changed to bbr already: what web opens later" + back},
		"both":        {outcome.Live{Flows: []outcome.LiveFlow{flow(outcome.LiveChanged)}, Units: unit(outcome.LiveChanged)}, "changed to bbr already: 1 connection, what web opens later" + back},
	} {
		c.l.CC = "bbr"
		if got := LiveSoFar(c.l); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
