package record

import "slices"

// Counterfactual is what one stream of a direction would gain without a cause,
// or without several at once: tried on copies of the path that behave as it did.
type Counterfactual struct {
	Direction Direction `json:"direction"`
	Without   []string  `json:"without"` // causes
	Ratio     float64   `json:"ratio"`   // of the rate without to the rate with
	Low       float64   `json:"low"`     // in nine of ten such paths it lies between these
	High      float64   `json:"high"`
}

// Alone is what a direction's streams would gain without one cause; ok is false
// where nobody tried.
func (r *Run) Alone(d Direction, cause string) (c Counterfactual, ok bool) {
	i := slices.IndexFunc(r.Counterfactuals, func(c Counterfactual) bool {
		return c.Direction == d && len(c.Without) == 1 && c.Without[0] == cause
	})
	if i < 0 {
		return c, false
	}
	return r.Counterfactuals[i], true
}
