package record

import "slices"

// Predicted is what one stream of a direction would do if something were other
// than it is, tried on copies of the path that behave as it did. Rates are
// goodput in bit/s.
type Predicted struct {
	Arm       string    `json:"arm"` // "now": nothing is other
	Direction Direction `json:"direction"`
	// Without are the causes that the arm takes away; empty for one that changes
	// what a host does.
	Without []string `json:"without,omitempty"`
	Rate    float64  `json:"rate_bps"`
	Low     float64  `json:"low_bps"` // of ten such paths, in nine the rate lies between these
	High    float64  `json:"high_bps"`
	// Gain is the rate over that of now, with its bounds.
	Gain     float64 `json:"gain"`
	GainLow  float64 `json:"gain_low"`
	GainHigh float64 `json:"gain_high"`
	RTT      float64 `json:"loaded_rtt_s"`     // the sender's own, median
	Resent   float64 `json:"retransmit_ratio"` // of the segments sent
	// Neighbor is what a CUBIC stream beside it keeps; 0 where it was not tried.
	Neighbor float64 `json:"neighbor_bps,omitempty"`
}

// Now is the name of the arm that changes nothing.
const Now = "now"

// Shortens says that an arm at least halves the RTT under load that the copies have now,
// by an amount that calls and games notice, and costs no more than a fifth of the rate.
func (p Predicted) Shortens(now Predicted) bool {
	return p.RTT > 0 && p.RTT <= now.RTT/2 && now.RTT-p.RTT >= noticed && p.Gain >= 0.8
}

// noticed is a third of the 150 ms that a call's one-way delay should stay below (ITU-T
// G.114), in seconds.
const noticed = 0.05

// NowOf is what copies of a direction carry as it is; ok is false where there are none.
func NowOf(all []Predicted, d Direction) (p Predicted, ok bool) {
	i := slices.IndexFunc(all, func(p Predicted) bool { return p.Direction == d && p.Arm == Now })
	if i < 0 {
		return p, false
	}
	return all[i], true
}

// Alone is what a direction's streams would gain without one cause; ok is false
// where nobody tried.
func (r *Run) Alone(d Direction, cause string) (p Predicted, ok bool) {
	i := slices.IndexFunc(r.Predicted, func(p Predicted) bool {
		return p.Direction == d && len(p.Without) == 1 && p.Without[0] == cause
	})
	if i < 0 {
		return p, false
	}
	return r.Predicted[i], true
}

// Changes are the predictions of what a host could do, and of now.
func Changes(all []Predicted) []Predicted { return ofPath(all, false) }

// Costs are the predictions of a path without what impairs it.
func Costs(all []Predicted) []Predicted { return ofPath(all, true) }

func ofPath(all []Predicted, changed bool) []Predicted {
	var out []Predicted
	for _, p := range all {
		if len(p.Without) > 0 == changed {
			out = append(out, p)
		}
	}
	return out
}
