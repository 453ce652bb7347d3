package diagnose

import (
	"strings"
	"testing"

	"unchoke/internal/diagnose/diagnosetest"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// What runs through SSH tells nothing sure of the path, but for its queue.
func TestThroughSSH(t *testing.T) {
	for file, want := range map[string]finding.Cause{
		"testdata/healthy--bbr-on-loss.json.gz":   finding.Unclear,
		"testdata/bufferbloat--boundary.json.gz":  finding.Bufferbloat,
		"testdata/congested--four-cubics.json.gz": finding.Unclear,
	} {
		run := diagnosetest.Clone(load(t, file))
		run.Far.Reached, run.Far.Cipher = record.ReachedSSH, "aes128-gcm@openssh.com"
		findings := Diagnose(run)
		if got := finding.Verdict(findings); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
		for _, f := range findings {
			if f.Confidence > share(0.7) {
				t.Errorf("%s: %s is %.2f sure", file, f.Cause, f.Confidence)
			}
			if f.Cause == finding.Unclear && !strings.Contains(f.Summary, "aes128-gcm") {
				t.Errorf("%s: %s", file, f.Summary)
			}
		}
	}
}
