package amend

import (
	"slices"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// withUnseen lowers the confidence of a finding that rests on losses where the
// receiving far host's tunnel program might drop them in its socket, and that
// host did not tell.
func withUnseen(v *view.View, f finding.Finding) finding.Finding {
	byLoss := f.Cause == finding.LossLimited || f.Cause == finding.ShallowBuffer
	if at, ok := v.At(v.Receiver()); at.Host == "near" || !byLoss || !v.Run.Route.Tunnel.InProgram() || ok && at.One.UDPDrops != nil {
		return f
	}
	f.Confidence = min(f.Confidence, unseenMost)
	f.Evidence = append(slices.Clone(f.Evidence), finding.Evidence{What: "of the losses, in the far tunnel program's socket", Value: -1, Unit: finding.Count})
	f.Remedies = append(slices.Clone(f.Remedies), finding.Remedy{
		What:  "Only the far host sees what the socket of its tunnel program drops: check from there, or look at RcvbufErrors in its /proc/net/snmp before and after.",
		Where: finding.Receiver, Host: v.Receiver(),
	})
	return f
}

// unseenMost is the confidence where a further cause cannot be ruled out.
const unseenMost = 0.85
