//go:build !slim

package app

import (
	"fmt"
	"slices"
	"time"

	"unchoke/internal/compare"
	"unchoke/internal/record"
	"unchoke/internal/state"
)

// freshPrediction is how old a prediction may be that a comparison is held
// against: paths change with the hour.
const freshPrediction = 24 * time.Hour

// foretold are the predictions of the newest check of a target for the arms of a
// comparison: of those arms that do what a prediction tried, against a baseline
// that does what the path's sender did.
func foretold(run *record.Run, arms []record.Arm, now time.Time) []record.Predicted {
	if run == nil || now.Sub(run.Started) > freshPrediction || len(arms) < 2 {
		return nil
	}
	base := arms[0]
	plain := base.Streams <= 1 && base.Window == 0 && base.Target == ""
	if cc := senderCC(run, base.Direction); !plain || base.CC != "" && base.CC != cc {
		return nil
	}
	var out []record.Predicted
	for _, p := range record.Changes(run.Predicted) {
		same := func(a record.Arm) bool {
			return a.Name == p.Arm && a.Direction == p.Direction && a.Direction == base.Direction
		}
		if p.Arm != record.Now && slices.ContainsFunc(arms[1:], same) {
			out = append(out, p)
		}
	}
	return out
}

// foretell keeps beside a comparison what was predicted for it.
func (q CompareRequest) foretell(c *record.Comparison) {
	if q.Store == nil {
		return
	}
	list, err := q.Store.List()
	if err != nil {
		return // the comparison says what is wrong with the store when it is saved
	}
	newest, found := NewestOf(list, q.Target)
	if !found {
		return
	}
	if run, err := runOf(q.Store.Load(newest.ID)); err == nil {
		c.Predicted = foretold(run, c.Arms, c.Started)
	}
}

// Calibrated is a prediction beside what a comparison measured of it: an arm's
// rate over the baseline's.
type Calibrated struct {
	Record    string           `json:"record"` // of the comparison
	Started   time.Time        `json:"started"`
	Target    string           `json:"target"`
	Arm       string           `json:"arm"`
	Direction record.Direction `json:"direction"`
	Predicted float64          `json:"predicted_gain"`
	Low       float64          `json:"predicted_low"`
	High      float64          `json:"predicted_high"`
	Measured  float64          `json:"measured_gain"` // median of the blocks
	Blocks    int              `json:"blocks"`
	Held      bool             `json:"held"` // the interval holds what was measured
}

// Calibration holds every prediction of a store against its comparison, the
// newest first. unread says which records could not be read.
func Calibration(store state.Store) (all []Calibrated, unread []string, err error) {
	list, err := store.List()
	if err != nil {
		return nil, nil, err
	}
	for _, r := range list {
		if r.Command != "ab" {
			continue
		}
		d, err := store.Load(r.ID)
		if err != nil {
			unread = append(unread, fmt.Sprintf("%s: %v", r.ID, err))
			continue
		}
		if c, ok := d.(*record.Comparison); ok {
			all = append(all, calibrated(c)...)
		}
	}
	return all, unread, nil
}

// calibrated are a comparison's predictions beside its outcome.
func calibrated(c *record.Comparison) []Calibrated {
	if len(c.Predicted) == 0 {
		return nil
	}
	var out []Calibrated
	for _, k := range compare.Analyse(c).Contrasts {
		arm := c.Arms[k.Arm]
		i := slices.IndexFunc(c.Predicted, func(p record.Predicted) bool { return p.Arm == arm.Name && p.Direction == arm.Direction })
		if i < 0 || k.Blocks == 0 {
			continue
		}
		p := c.Predicted[i]
		out = append(out, Calibrated{
			Record: c.ID, Started: c.Started, Target: c.Target, Arm: arm.Name, Direction: arm.Direction,
			Predicted: p.Gain, Low: p.GainLow, High: p.GainHigh,
			Measured: k.Ratio, Blocks: k.Blocks, Held: k.Ratio >= p.GainLow && k.Ratio <= p.GainHigh,
		})
	}
	return out
}
