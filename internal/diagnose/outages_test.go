package diagnose

import (
	"slices"
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// Outages which one direction's stream did not happen to meet are both
// directions' matter, unless that stream ran on meanwhile.
func TestInterrupted(t *testing.T) {
	run := load(t, "testdata/loss-limited--outages-that-the-download-missed.json.gz")
	for _, d := range record.Directions {
		v := view.Of(run, d)
		if _, costs := v.Interrupted(); len(v.Out.All) != 2 || !costs {
			t.Errorf("%s: %+v", d, v.Out)
		}
	}
	said := Diagnose(run)
	if got := finding.Verdict(said); got != finding.LossLimited || said[0].Severity < 0.25 {
		t.Errorf("verdict %s, severity %.2f", got, said[0].Severity)
	}
	for i := range run.Echoes {
		for j := range run.Echoes[i].Probes {
			if p := &run.Echoes[i].Probes[j]; p.RTT == 0 {
				p.RTT = 0.04
			}
		}
	}
	if slices.ContainsFunc(Diagnose(run), func(f finding.Finding) bool {
		return f.Direction == record.Down && f.Cause == finding.LossLimited
	}) {
		t.Error("every probe was answered, and yet the path is said to be interrupted")
	}
}
