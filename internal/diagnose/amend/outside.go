package amend

import (
	"fmt"

	"unchoke/internal/diagnose/rules/tunnels"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/unit"
)

// withOutside lowers the confidence of a finding that rests on what the tunnel's
// packets met where nobody asked how TCP fares outside the tunnel: a network that
// treats UDP worse looks the same from inside, the more so where it does the
// other way; there it may also set the rate that a healthy stream fills.
func withOutside(v *view.View, f finding.Finding) finding.Finding {
	byLoss := f.Cause == finding.LossLimited || f.Cause == finding.Policed || f.Cause == finding.ShallowBuffer
	if !byLoss && f.Cause != finding.Healthy || len(v.Out.All) > 0 {
		return f
	}
	if seen.CarriedOutside(v.Run.BesideIn(v.Dir, true)) {
		t, _ := seen.WorseForUDP(v.Run, v.Dir, true)
		better := tunnels.FaresBetter(v, t)
		if better && !t.Perhaps {
			most, it := freerMost, "what is lost inside, the network may do to UDP alone"
			if !byLoss {
				most, it = heldPerhaps, "the network may hold back UDP alone"
			}
			f.Confidence = min(f.Confidence, most)
			f.Summary += fmt.Sprintf(" But outside the tunnel one TCP stream carried %s a little later: %s, or it comes and goes.", unit.HumanRate(t.Free), it)
		}
		if !better || !t.Perhaps {
			return f
		}
	}
	if _, other := seen.WorseForUDP(v.Run, v.Dir.Opposite(), true); other || tunnels.OutgrewBack(v) {
		f.Confidence = min(f.Confidence, oneWayMost)
		f.Summary += " Outside the tunnel the other way treats UDP worse than TCP; of this one that is not known."
	} else if byLoss && v.Run.Route.Tunnel.OverUDP() {
		f.Confidence = min(f.Confidence, unseenMost)
		if f.Cause == finding.Policed {
			f.Confidence = min(f.Confidence, policedPerhaps)
		}
		f.Summary += " Whether the network does so to TCP as well, outside the tunnel, was not measured."
	}
	return f
}

// freerMost is the confidence in what is lost inside a tunnel where a stream outside
// it did not suffer as much, and turns did not tell why: 3 of 4 were right.
const freerMost = 0.7

// heldPerhaps is the confidence in the health of a path inside a tunnel where a stream outside
// it carried clearly more, and turns did not tell why: the one kept direction like that was
// held back.
const heldPerhaps = 0.5

// policedPerhaps is the confidence in a policer inside a tunnel where nobody asked outside:
// networks that police UDP alone are as common. The one kept direction like that was one.
const policedPerhaps = 0.5

// oneWayMost is the confidence where a cause is there in the other direction and
// was not looked for in this one.
const oneWayMost = 0.6
