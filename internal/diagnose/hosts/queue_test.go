package hosts

import (
	"testing"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/record"
)

// A shaper that lets out more UDP than the path then carries is not the bottleneck, as
// often as it held the stream's packets back. One that keeps or drops what exceeds its
// rate is.
func TestPassedOn(t *testing.T) {
	cake := record.QdiscUse{Device: "eth0", Kind: "cake", Handle: "8001:", Root: true, Bytes: 1.5e6, Packets: 4000, Overlimits: 3500, Backlog: 3000}
	kept, dropped, other := cake, cake, cake
	kept.Backlog, dropped.Drops, other.Handle = 90000, 60, "8002:"
	for name, c := range map[string]struct {
		under []record.QdiscUse // while UDP overloads the path
		lost  int64
		rate  float64 // of the stream
		want  bool
	}{
		"it let all out":           {[]record.QdiscUse{cake}, 100, 5e6, false},
		"it kept what is too much": {[]record.QdiscUse{kept}, 100, 5e6, true},
		"it dropped most":          {[]record.QdiscUse{dropped}, 100, 5e6, true},
		"hardly any was lost":      {[]record.QdiscUse{cake}, 2, 5e6, true},
		"nothing is known":         {nil, 100, 5e6, true},
		"another queue":            {[]record.QdiscUse{other}, 100, 5e6, true},
		"UDP alone is held back":   {[]record.QdiscUse{cake}, 100, 20e6, true},
	} {
		flood := record.Transfer{
			Name: "flood", Direction: record.Up, Duration: 1, Egress: c.under,
			UDP: &record.Rung{Sent: 12e6, Delivered: 9e6, Payload: 1400, Packets: 1000, Lost: c.lost},
		}
		run := &record.Run{Route: record.Route{Device: "eth0"}, Transfers: []record.Transfer{flood}}
		v := &view.View{Run: run, Dir: record.Up, Rate: c.rate, One: &record.Transfer{Egress: []record.QdiscUse{cake}}}
		v.Rungs = []seen.Rung{seen.NewRung(run, &run.Transfers[0])}
		if _, _, ok := OwnQueue(v); ok != c.want {
			t.Errorf("%s: %v", name, ok)
		}
	}
}
