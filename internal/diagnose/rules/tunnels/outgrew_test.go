//go:build !slim

package tunnels

import (
	"strings"
	"testing"

	"unchoke/internal/diagnose/diagnosetest"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/record"
)

// A stream outside that carries far more than one could that loses what UDP loses tells that
// UDP is treated worse; one too short to have met that often, or UDP that loses rarely, does not.
func TestOutgrew(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*view.View, *seen.Turns)
		want   bool
	}{
		"as it was":                        {func(*view.View, *seen.Turns) {}, true},
		"nobody asked UDP outside":         {func(_ *view.View, t *seen.Turns) { t.Asked, t.UDP = 0, seen.Proportion{} }, true},
		"UDP lost one in two hundred":      {func(_ *view.View, t *seen.Turns) { t.UDP.K = t.UDP.N / 200 }, false},
		"the tunnel lost one in a hundred": {func(v *view.View, _ *seen.Turns) { v.Base.K = v.Base.N / 100 }, false},
		"it lost one in five hundred":      {func(v *view.View, _ *seen.Turns) { v.Base.K = v.Base.N / 500 }, false},
		"losses that come and go":          {func(v *view.View, _ *seen.Turns) { v.Base.K = v.Base.N / 5 }, false},
		"it carried no more":               {func(v *view.View, t *seen.Turns) { t.Free = v.Rate }, false},
		"it carried a few times as much":   {func(v *view.View, t *seen.Turns) { t.Free = 8 * v.Rate }, false},
		"it sent few packets":              {func(_ *view.View, t *seen.Turns) { t.Freed.N /= 20 }, false},
	} {
		v := view.Of(diagnosetest.Load(t, outgrown), record.Down)
		turns, _ := heldBack(v)
		c.change(v, &turns)
		if got := outgrew(v, turns); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// It is asked of the other way, where nobody looked at this one.
func TestOutgrewBack(t *testing.T) {
	run := diagnosetest.Load(t, outgrown)
	if !OutgrewBack(view.Of(run, record.Up)) || OutgrewBack(view.Of(run, record.Down)) {
		t.Error("only what comes was asked")
	}
}

const outgrown = "../../testdata/udp-throttled--tcp-outgrew-udps-loss.json.gz"

// Where nobody took turns, the report has none.
func TestOutgrewWithoutTurns(t *testing.T) {
	run := diagnosetest.Load(t, "../../testdata/udp-throttled--losses-before-a-short-queue.json.gz")
	f := UDPThrottled(view.Of(run, record.Up))
	if f == nil {
		t.Fatal("nothing is found")
	}
	for _, e := range f.Evidence {
		if e.Value == 0 {
			t.Errorf("evidence of nothing: %+v", e)
		}
	}
	if !strings.Contains(f.Summary, "UDP inside loses 0.873 % at any rate") {
		t.Error(f.Summary)
	}
}
