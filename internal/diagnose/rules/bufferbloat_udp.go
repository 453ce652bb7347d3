package rules

import (
	"fmt"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// QueuedUDP is the queue that one stream through a tunnel fills where the network holds
// the tunnel's UDP to a rate: what exceeds that rate waits there. nil where one
// stream keeps none.
func QueuedUDP(v *view.View) *finding.Finding {
	_, under, alone, _ := v.Standing()
	if !alone {
		return nil
	}
	f, ofCrowd := bloat(v)
	if f == nil || ofCrowd {
		return nil
	}
	f.Severity *= besideThrottle
	f.Summary = fmt.Sprintf("What exceeds UDP's rate waits in a queue: the round trip through the tunnel takes %s idle and %s under load.",
		words.Duration(v.Idle.Mid), words.Duration(under.Mid))
	f.Remedies = []finding.Remedy{finding.Remedy{
		What:  "While UDP is held back, let a smart queue stand in front of it: shape what enters the tunnel to just below that rate with cake (DEV is the tunnel's device).",
		Where: finding.Sender, Host: v.Sender(),
	}.By(finding.Shape(finding.JustBelow(v.Capacity)))}
	return f
}

// besideThrottle: the queue makes others in the tunnel wait, the rate holds the stream back.
const besideThrottle = 0.3
