package check

import (
	"strings"
	"testing"

	"unchoke/internal/finding"
)

// Tune is named where it makes one of the remedies on this host, and nowhere else.
func TestApplyLine(t *testing.T) {
	on := func(host string, a finding.Action) finding.Remedy { return finding.Remedy{Host: host}.By(a) }
	for _, c := range []struct {
		name     string
		cause    finding.Cause
		remedies []finding.Remedy
		want     bool
	}{
		{"bbr here", finding.LossLimited, []finding.Remedy{{What: "look"}, on("near", finding.UseCC("bbr"))}, true},
		{"bbr there", finding.LossLimited, []finding.Remedy{on("far", finding.UseCC("bbr"))}, false},
		{"a receive buffer", finding.ReceiveWindow, []finding.Remedy{on("near", finding.RaiseReceiveBuffer(1))}, true},
		{"window scaling", finding.ReceiveWindow, []finding.Remedy{on("near", finding.ScaleWindows())}, true},
		{"a router's queue", finding.Bufferbloat, []finding.Remedy{on("", finding.Shape(1))}, false},
		{"a sender that is not slowed down unasked", finding.Policed, []finding.Remedy{on("near", finding.Pace(1))}, false},
		{"bbr, which no plan makes for this cause", finding.SlowStart, []finding.Remedy{on("near", finding.UseCC("bbr"))}, false},
		{"nothing wrong", finding.Healthy, nil, false},
	} {
		got := Report{Findings: []finding.Finding{{Cause: c.cause, Remedies: c.remedies}}}.applyLine()
		if strings.Contains(got, "sudo unchoke tune apply") != c.want || (got != "") != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}
