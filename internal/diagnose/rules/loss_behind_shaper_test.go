package rules

import (
	"testing"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/record"
)

// What a stream loses is the path's only where its own shaper did not drop it.
func TestLostBeyond(t *testing.T) {
	for name, c := range map[string]struct {
		drops int64
		want  bool
	}{"the shaper dropped none": {0, true}, "the shaper dropped most": {40, false}} {
		q := record.QdiscUse{Device: "eth0", Kind: "fq_codel", Packets: 30000, Overlimits: 16000, Drops: c.drops, Backlog: 15140}
		v := &view.View{
			Run: &record.Run{Route: record.Route{Device: "eth0"}}, Dir: record.Up, CC: "cubic",
			One:  &record.Transfer{Egress: []record.QdiscUse{q}},
			Rate: 70e6, Capacity: 100e6,
			Limits: view.Limits{Limits: flow.Limits{Network: 1}},
			Losses: seen.Losses{Losses: flow.Losses{Segments: 30000, Resent: 49, Real: 49}, Steady: 45, SteadySent: 18000},
		}
		f := LostBeyond(v)
		if (f != nil) != c.want {
			t.Errorf("%s: %+v", name, f)
		}
		if f != nil && f.Cause != finding.LossLimited {
			t.Errorf("%s: %s", name, f.Cause)
		}
	}
}
