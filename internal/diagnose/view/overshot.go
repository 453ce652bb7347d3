package view

import (
	"math"

	"unchoke/internal/diagnose/seen"
)

// Overshot says that slow start filled the path before anything was lost, that the
// bottleneck drops some early, as an AQM does, and that a loss-based stream lost nothing
// since: it grows back to the path's rate, as CUBIC does for seconds on a long path
// (RFC 9438 §4.2, K), and has come most of the way. What it lost was no random loss.
func (v *View) Overshot() bool {
	if v.Alone() || !seen.LossBased[v.CC] || v.Losses.Real == 0 || v.Losses.Steady > 0 || !v.dropsEarly() {
		return false
	}
	ended, _, once := v.LostOnce()
	if !once || ended > overshootBy*v.One.Duration {
		return false
	}
	return v.fastestBy(ended) >= v.Capacity*filledAtOnce &&
		v.One.Goodput(lastQuarter, 1) > grownSince*v.One.Goodput(overshootBy, lastQuarter) &&
		v.One.Goodput(lastQuarter, 1) >= ShallowShare*v.Capacity
}

// dropsEarly says that a queue drops packets while it still fills: rungs that it took
// most of the excess of lost some, and all that passed without a queue lost none, which
// is no chance of one probability (hypergeometric).
func (v *View) dropsEarly() bool {
	var filling seen.Proportion
	for _, r := range v.Overloads() {
		if excess := 1 - r.Delivered/max(r.Sent, 1); r.Loss() < tookMost*excess {
			filling.Add(r.Lost, r.Packets)
		}
	}
	if v.Base.K > 0 || filling.K < 2 {
		return false
	}
	return math.Pow(float64(filling.N)/float64(filling.N+v.Base.N), float64(filling.K)) < noChance
}

// fastestBy is the most that the stream carried within a round trip, of a fifth of a
// second at the least, before a time in seconds since it began, in bit/s.
func (v *View) fastestBy(until float64) float64 {
	most, d := 0.0, v.One.Duration
	width := max(v.Idle.Mid, 0.2)
	for at := 0.0; at+width <= until+v.Idle.Mid; at += width / 4 {
		most = max(most, v.One.Goodput(at/d, min((at+width)/d, 1)))
	}
	return most
}

const (
	tookMost     = 0.2 // of the excess was lost, at the most: the queue took the rest
	noChance     = 0.05
	overshootBy  = 0.5  // of the test: slow start is over by then
	filledAtOnce = 0.95 // of the path's rate
	lastQuarter  = 0.75
	grownSince   = 1.02 // times the rate of the quarter before
)
