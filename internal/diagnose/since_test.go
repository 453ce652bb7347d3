package diagnose

import (
	"math"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

func TestCompare(t *testing.T) {
	const lossy = "testdata/loss-limited--wireguard-up.json.gz"
	before, after := load(t, lossy), load(t, lossy)
	for i := range after.Transfers {
		if tr := &after.Transfers[i]; tr.Direction == record.Up && tr.Protocol == record.TCP {
			tr.CC = "bbr"
			tr.SteadyRate *= 10
		}
	}
	s := Compare(before, after)
	if s.Record != before.ID || len(s.Ways) != 2 || len(s.Warnings) != 0 {
		t.Fatalf("%+v", s)
	}
	for _, w := range s.Ways {
		switch w.Direction {
		case record.Down:
			if w.Ratio != 1 || w.Before != w.After {
				t.Errorf("download, which did not change: %+v", w)
			}
		case record.Up:
			if math.Abs(w.Ratio-10) > 1e-9 || w.Before.CC != "cubic" || w.After.CC != "bbr" || w.Before.Cause != finding.LossLimited || w.After.Cause == finding.LossLimited {
				t.Errorf("upload: %+v", w)
			}
		}
	}
}

// Rates of two paths are not compared without a word.
func TestCompareOtherPath(t *testing.T) {
	before, after := load(t, "testdata/loss-limited--wireguard-up.json.gz"), load(t, "testdata/loss-limited--rare.json.gz")
	after.Target, after.Route.Device = "elsewhere:5201", "eth9"
	if s := Compare(before, after); len(s.Warnings) < 2 {
		t.Errorf("warnings %q", s.Warnings)
	}
	if s := Compare(&record.Run{}, after); len(s.Ways) != 0 {
		t.Errorf("compared with nothing: %+v", s.Ways)
	}
}

// A sender that does not take a loss for congestion is not limited by it, and no
// finding speaks of a congestion control that the sender does not run.
func TestLossIsNotBBRsLimit(t *testing.T) {
	run := load(t, "testdata/loss-limited--wireguard-up.json.gz")
	if cause := finding.Verdict(Diagnose(run)); cause != finding.LossLimited {
		t.Fatalf("with cubic: %s", cause)
	}
	for i := range run.Transfers {
		run.Transfers[i].CC = "bbr"
	}
	for _, f := range Diagnose(run) {
		if f.Cause == finding.LossLimited {
			t.Errorf("bbr is limited by loss: %s", f.Summary)
		}
	}
}
