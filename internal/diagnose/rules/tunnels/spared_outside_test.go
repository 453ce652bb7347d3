//go:build !slim

package tunnels

import (
	"testing"

	"unchoke/internal/diagnose/diagnosetest"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/record"
)

// A stream outside that loses nothing where the tunnel loses packet by packet tells that UDP
// is treated worse; bursts may have missed it, and losses of its own are the path's.
func TestSparedOutside(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*view.View, *seen.Turns)
		want   bool
	}{
		"as it was":                    {func(*view.View, *seen.Turns) {}, true},
		"it lost as much":              {func(_ *view.View, t *seen.Turns) { t.Freed.K = t.Freed.N / 200 }, false},
		"it carried no more":           {func(v *view.View, t *seen.Turns) { t.Free = v.Rate }, false},
		"TCP took its turn":            {func(_ *view.View, t *seen.Turns) { t.TCP.Packets = 1000 }, false},
		"what was lost came in bursts": {func(v *view.View, _ *seen.Turns) { inBursts(v) }, false},
	} {
		v := view.Of(diagnosetest.Load(t, "../../testdata/udp-throttled--losses-that-a-stream-outside-does-not-share.json.gz"), record.Down)
		turns, _ := heldBack(v)
		c.change(v, &turns)
		if f := sparedOutside(v, turns); (f != nil) != c.want {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func inBursts(v *view.View) {
	for i := range v.Rungs {
		v.Rungs[i].Runs = min(v.Rungs[i].Runs, 1)
	}
}
