package view

import (
	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/seen"
)

// TrainRate is seen.TrainRate of the one stream.
func (v *View) TrainRate() float64 { return seen.TrainRate(v.One, v.Idle.Mid, v.MSS) }

// FillsTrains says that one stream which does not pace its packets carries what the
// bottleneck lets through even where packets come close together, at a train's rate.
func (v *View) FillsTrains(train float64) bool {
	return congestion.LossBased(v.CC) && len(v.Stalls) == 0 && train > 0 && v.Rate >= SlowShare*train
}
