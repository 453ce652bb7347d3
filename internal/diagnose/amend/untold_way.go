package amend

import (
	"slices"

	"unchoke/internal/diagnose/rules/tunnels"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// withUntoldWay lowers the confidence of what a relay may look like, where nobody told
// whether one carries the tunnel's packets.
func withUntoldWay(v *view.View, f finding.Finding) finding.Finding {
	t := v.Run.Route.Tunnel
	if tunnels.MayRelay(t.Kind) && t.Via() == "" && slices.Contains(likeRelay, f.Cause) {
		f.Confidence = min(f.Confidence, untoldWayMost)
		f.Summary += " But whether a relay carries the tunnel's packets was not learned: one may be the cause, and looks the same from inside. First find that out."
	}
	return f
}

var likeRelay = []finding.Cause{finding.Healthy, finding.LossLimited, finding.Reordering, finding.Policed, finding.Bufferbloat, finding.Congested, finding.ShallowBuffer}

// untoldWayMost: a relay carried all 12 kept directions that were said to have one of these
// causes, or none, when their way was taken out of the record. How common relays are where
// nobody tells is not known.
const untoldWayMost = 0.5
