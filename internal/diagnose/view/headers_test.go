package view

import (
	"testing"

	"unchoke/internal/live"
)

// What takes the packets shows in how long the one before a lost one waited, and how
// much was on its way.
func TestLostTo(t *testing.T) {
	for name, c := range map[string]struct {
		p    live.Packets
		want LostTo
	}{
		"a queue that the stream fills":   {live.Packets{Waited: 0.95, Filled: 0.9, Before: 0.01}, LostToItself},
		"a queue that others fill":        {live.Packets{Waited: 0.95, Filled: 0.4, Before: 0.01}, LostToOthers},
		"others' packets before its own":  {live.Packets{Waited: 0.6, Filled: 0.9, Before: 0.01, Foreign: 0.6}, LostToOthers},
		"chance":                          {live.Packets{Waited: 0.5, Filled: 0.5}, LostToChance},
		"a policer's bucket":              {live.Packets{Waited: 0.5, Filled: 0.95}, LostUnknown},
		"full, but nothing waited":        {live.Packets{Waited: 0.95, Filled: 0.9, Before: 0.0005}, LostUnknown},
		"full, as far as the delay sways": {live.Packets{Waited: 0.95, Filled: 0.9, Before: 0.01, Sway: 0.02}, LostUnknown},
		"a queue that always stands":      {live.Packets{Waited: 0.5, Filled: 0.5, Before: 0.01}, LostUnknown},
	} {
		c.p.Least, c.p.Occasions = 0.05, 12
		if got := lostTo(c.p); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	few := live.Packets{Waited: 0.95, Filled: 0.4, Before: 0.01, Least: 0.05, Occasions: 4}
	if got := lostTo(few); got != LostUnknown {
		t.Errorf("four ranks come out like that by chance: %d", got)
	}
}

// Of several streams the ranks are means of all occasions; what passes is what the one
// that lost most often found.
func TestTogether(t *testing.T) {
	got := together([]live.Packets{
		{Passes: 10, Least: 1, Occasions: 1, Waited: 0.9, Filled: 0.5, Unwaited: 0, Before: 0.1, Foreign: 0.4},
		{Passes: 12, Least: 2, Occasions: 3, Waited: 0.5, Filled: 0.9, Unwaited: 0.4, Before: 0.5, Foreign: 0},
		{Passes: 15, Least: 3},
	})
	want := live.Packets{Passes: 12, Least: 2, Occasions: 4, Waited: 0.6, Filled: 0.8, Unwaited: 0.3, Before: 0.4, Foreign: 0.1}
	for name, p := range map[string][2]float64{
		"passes": {got.Passes, want.Passes}, "least": {got.Least, want.Least}, "occasions": {float64(got.Occasions), float64(want.Occasions)},
		"waited": {got.Waited, want.Waited}, "filled": {got.Filled, want.Filled}, "unwaited": {got.Unwaited, want.Unwaited},
		"before": {got.Before, want.Before}, "foreign": {got.Foreign, want.Foreign},
	} {
		if d := p[0] - p[1]; d > 1e-9 || d < -1e-9 {
			t.Errorf("%s %v, want %v", name, p[0], p[1])
		}
	}
	if none := together([]live.Packets{{Passes: 3}}); none.Passes != 3 || none.Occasions != 0 {
		t.Errorf("without a loss: %+v", none)
	}
}
