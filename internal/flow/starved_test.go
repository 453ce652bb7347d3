package flow

import (
	"strings"
	"testing"

	"unchoke/internal/record"
)

// Probes that are lost, or wait longer and longer, show that nobody is answered; the long
// RTT of a path through space does not, nor does jitter, nor a path that answers none.
func TestStarved(t *testing.T) {
	probes := func(n int, rtt func(i int) float64) []record.Probe {
		out := make([]record.Probe, n)
		for i := range out {
			out[i].RTT = rtt(i)
		}
		return out
	}
	for name, c := range map[string]struct {
		probes []record.Probe
		want   string
	}{
		"most are lost": {probes(50, func(i int) float64 {
			if i%10 == 0 {
				return 0.1
			}
			return 0
		}), "45 of 50 echo probes were lost"},
		"a queue fills":      {probes(50, func(i int) float64 { return 0.4 + 0.04*float64(i) }), "the RTT of 50 echo probes went from 400 ms to"},
		"through space":      {probes(50, func(int) float64 { return 1.3 }), ""},
		"jitter":             {probes(50, func(i int) float64 { return 0.1 + 0.3*float64(i%2) }), ""},
		"one waits":          {probes(50, func(i int) float64 { return 0.1 + 3*float64(i/49) }), ""},
		"none is answered":   {probes(50, func(int) float64 { return 0 }), ""},
		"too few are known":  {probes(19, func(i int) float64 { return 0.1 * float64(i%2) }), ""},
		"none was ever sent": {nil, ""},
	} {
		how, starved := Starved(c.probes)
		if starved != (c.want != "") || !strings.HasPrefix(how, c.want) {
			t.Errorf("%s: %v, %q", name, starved, how)
		}
	}
}

// What was sent once a stream had begun does not count, in whatever series.
func TestUnloaded(t *testing.T) {
	r := &record.Run{
		Echoes: []record.Echo{
			{Started: 0, Probes: []record.Probe{{At: 0, RTT: 0.1}, {At: 1, RTT: 0.2}}},
			{Started: 2, Probes: []record.Probe{{At: 0, RTT: 0.3}, {At: 1, RTT: 0.4}}},
		},
		Transfers: []record.Transfer{{Started: 5}, {Started: 2.5}},
	}
	got := Unloaded(r)
	if len(got) != 3 || got[2].RTT != 0.3 {
		t.Errorf("%+v", got)
	}
	if r.Transfers = nil; len(Unloaded(r)) != 4 {
		t.Error("without a stream, not all")
	}
}
