package diagnose

import (
	"strings"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// A network may lose a tunnel's UDP alone: what a stream in it loses says less of the
// path, and nothing less of anything else.
func TestInUDP(t *testing.T) {
	for _, c := range []struct {
		cause finding.Cause
		kind  string
		want  float64
	}{
		{finding.LossLimited, "wireguard", udpUntold},
		{finding.Policed, "tailscale", udpUntold},
		{finding.LossLimited, "gre", 0.8},
		{finding.LossLimited, "", 0.8},
		{finding.Healthy, "wireguard", 0.8},
	} {
		f := inUDP(finding.Finding{Cause: c.cause, Confidence: 0.8}, record.Tunnel{Kind: c.kind})
		if f.Confidence != c.want || strings.Contains(f.Summary, c.kind+")") != (c.want == udpUntold) {
			t.Errorf("%s in %q: %v, %q", c.cause, c.kind, f.Confidence, f.Summary)
		}
	}
}
