package diagnose

import (
	"path/filepath"
	"testing"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/tcpinfo"
)

// Kernels before 6.2 do not tell the window that they offer. What stands in for it is about
// the same in kept downloads, whose kernel tells both.
func TestWindowsOfOldKernels(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	files, err := filepath.Glob("testdata/*-window--*.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	others, err := filepath.Glob("testdata/healthy--[a-f]*.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	near, all := 0, 0
	for _, file := range append(files, others...) {
		run := load(t, file)
		before := windows(run)
		fromSystem(t, run, tcpinfo.Linux, int(tcpinfo.FieldRcvWnd)-4)
		for i, was := range windows(run) {
			if before[i] == 0 {
				continue
			}
			if all++; was > 0.97*before[i] && was < 1.03*before[i] {
				near++
			}
		}
	}
	if all < 20 || float64(near) < 0.9*float64(all) {
		t.Errorf("%d of %d are within 3 %%", near, all)
	}
}

// windows are the receive windows of the lone downloads of a check, in bytes.
func windows(r *record.Run) (all []float64) {
	for _, x := range r.Transfers {
		if x.Direction != record.Down || x.Streams != 1 || x.UDP != nil {
			continue
		}
		if s, ok := flow.Seen(x.Series, false); ok {
			all = append(all, flow.Advertised(s, flow.Since(seen.SteadyFrom*x.Duration)))
		}
	}
	return all
}
