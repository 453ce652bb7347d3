//go:build !slim

package amend

import (
	"fmt"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/unit"
)

// ThroughSSH is what is left of a direction's findings where the streams ran
// through SSH: all in one TCP connection, whose sender is ssh and not the test's,
// and which ssh's own window and cipher bound. Only what echo probes saw beside
// it is the path's.
func ThroughSSH(v *view.View, here []finding.Finding) []finding.Finding {
	if v.Run.Far.Reached != record.ReachedSSH {
		return here
	}
	for _, f := range here {
		if f.Cause == finding.Bufferbloat {
			f.Confidence = min(f.Confidence, throughSSHSure)
			return []finding.Finding{f}
		}
	}
	f := finding.Finding{
		Cause: finding.Unclear, Confidence: unclearThroughSSH, Severity: 0.1,
		Summary:  fmt.Sprintf("The streams ran through SSH, which carries %s this way. What a stream of its own would carry, and what would limit it, cannot be told from that.", unit.HumanRate(v.Rate)),
		Evidence: []finding.Evidence{{What: "one stream carries, through SSH", Value: v.Rate, Unit: finding.BitRate}},
		Remedies: []finding.Remedy{{
			What:  "Let TCP connections to ports above 1023 through between the hosts while it is checked, either way: then the streams run beside SSH.",
			Where: finding.Network,
		}},
	}
	if v.Idle.Mid > 0 {
		window := 8 * record.SSHWindow / v.Idle.Mid
		f.Evidence = append(f.Evidence, finding.Evidence{What: "SSH's window lets through, at this RTT", Value: window, Unit: finding.BitRate})
		if v.Rate >= sshWindowShare*window {
			f.Summary += " SSH's own window is what limits it here."
		}
	}
	if c := v.Run.Far.Cipher; c != "" {
		f.Summary += " Its cipher is " + c + ", which takes a core of either host."
	}
	return []finding.Finding{f}
}

// throughSSHSure bounds the confidence of what echo probes saw beside SSH: the
// queue may be ssh's own host's.
const throughSSHSure = 0.7

// unclearThroughSSH is how often nothing that anybody could fix is the truth there.
const unclearThroughSSH = 0.05
