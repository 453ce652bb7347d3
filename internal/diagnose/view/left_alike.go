//go:build !slim

package view

import (
	"math"

	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/seen"
)

// leftAlike says that eight loss-based streams, which keep the queue as full as an overload
// does, carry no more than one, and clearly less than UDP, which does not give way: of a line
// that they have to themselves they leave nothing. Bunches, acknowledgements that queue,
// random loss and outages keep eight streams from that as well.
func (v *View) leftAlike() bool {
	if v.Eight == nil || !v.Slow() || !congestion.LossBased(v.CC) || len(v.Out.All) > 0 || v.Isolated() || v.Bunches() || v.Base.K > 0 {
		return false
	}
	if _, acks := v.AcksQueue(); acks {
		return false
	}
	stood, full := v.Busier.Mid-v.Idle.Mid, v.FullQueue()-v.Idle.Mid
	alike := math.Abs(v.Rate/v.Eight.SteadyRate-1) <= alikeLeft
	return alike && v.Capacity >= leftOver*v.Eight.SteadyRate && full >= seen.LeastStanding && stood >= fullUnder*full && stood <= full/fullUnder
}

const (
	// fullUnder is the share of a full queue that eight streams keep.
	fullUnder = 0.8
	// leftOver is what UDP gets of what eight streams have. Of 195 kept directions with such a
	// queue and two such streams 186 lie below 1.08; the 9 others, from 1.18 on, all have others
	// at one rate, and the 5 slow ones gain 1.7 times as much and more without them.
	leftOver = 1.15
)
