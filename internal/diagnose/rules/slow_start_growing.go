package rules

import (
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/theory"
)

// growingBackTakes is the evidence of how long CUBIC takes, in seconds.
func growingBackTakes(seconds float64) finding.Evidence {
	return finding.Evidence{What: "growing back takes (RFC 9438 §4.2, K)", Value: seconds, Unit: finding.Seconds, Source: theory.CubicGrowthSource}
}

// keepBusy is what a sender that grows back for longer than a test lasts can do.
func keepBusy(v *view.View) finding.Remedy {
	return finding.Remedy{
		What:  "Use one connection for long, and keep it busy (net.ipv4.tcp_slow_start_after_idle=0 keeps what it has found through pauses): it fills the path after a while. A longer test shows it: iperf3 -t 60.",
		Where: finding.Sender, Host: v.Sender(),
	}
}
