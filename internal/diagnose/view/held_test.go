//go:build !slim

package view

import (
	"testing"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/record"
)

// A far sender whose congestion window is far larger than what is under way is held by
// something else, whatever it resent in vain.
func TestWindowUnused(t *testing.T) {
	const file = "testdata/send-buffer--overtaken-and-its-window-unused.json.gz"
	for name, c := range map[string]struct {
		change func(*View)
		want   bool
	}{
		"as it was": {func(*View) {}, true},
		"its window is full in one second": {func(v *View) {
			v.One.Far[3].Cwnd = int64(v.Limits.InFlight)
		}, false},
		"its window grows": {func(v *View) {
			last := &v.One.Far[len(v.One.Far)-1]
			last.Cwnd += int64(v.MSS)
		}, false},
		"BBR keeps twice as much": {func(v *View) { v.CC = "bbr" }, false},
		"the path was out":        {func(v *View) { v.Out.All = []seen.Outage{{At: 3, Duration: 1}} }, false},
		"nobody told":             {func(v *View) { v.One.Far = nil }, false},
	} {
		v := Of(load(t, file), record.Down)
		v.One.Far = append([]record.FarInterval(nil), v.One.Far...)
		c.change(v)
		if got := v.windowUnused(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
