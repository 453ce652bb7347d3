package main

import (
	"strings"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

func measured(named float64, cause finding.Cause) *ceiling {
	c := newCeiling(100e6, 0.1)
	for _, w := range c.ways {
		w.iperf = []float64{100e6, 1e6, 100e6, 104e6} // one bad start
	}
	for range 3 {
		c.add(map[record.Direction]verdict{record.Down: {cause: cause, ceiling: named}, record.Up: {cause: cause, ceiling: named}})
	}
	return c
}

func TestGates(t *testing.T) {
	healthy := &way{verdicts: []finding.Cause{finding.Healthy, finding.Unclear}}
	wrong := &way{verdicts: []finding.Cause{finding.CPUBound, finding.Healthy}}
	g := gates{1, 0.15}
	for name, c := range map[string]struct {
		all  []*ceiling
		free []*way
		want string
	}{
		"right":                   {[]*ceiling{measured(110e6, finding.CPUBound)}, []*way{healthy}, ""},
		"a ceiling far off":       {[]*ceiling{measured(120e6, finding.CPUBound)}, nil, "20 % off"},
		"another cause":           {[]*ceiling{measured(0, finding.Healthy)}, nil, "called [healthy healthy healthy]"},
		"too few":                 {nil, nil, "0 ceilings, want 1"},
		"called so without cause": {[]*ceiling{measured(100e6, finding.CPUBound)}, []*way{healthy, wrong}, "run 2 without a limit"},
	} {
		short := strings.Join(g.judge(c.all, c.free), "; ")
		if (short == "") != (c.want == "") || !strings.Contains(short, c.want) {
			t.Errorf("%s: %q", name, short)
		}
	}
}
