package view

import (
	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/stats"
)

// Overshot says that slow start filled the path before anything was lost, that packets
// are lost there only while a queue fills, as an AQM drops them early, and that a
// loss-based stream lost nothing since, but for two round trips: it grows back to the
// path's rate, as CUBIC does for seconds on a long path (RFC 9438 §4.2, K), and has come
// most of the way. What it lost was no random loss.
func (v *View) Overshot() bool {
	if v.Alone() || !congestion.LossBased(v.CC) || v.Losses.Real == 0 || v.Base.K > 0 {
		return false
	}
	ended, lost, once := v.LostOnce()
	if lost == 0 || v.Losses.Steady > 0 && !once || ended > startedBy*v.One.Duration || v.lostAnywhere(ended) > noChance {
		return false
	}
	return v.fastestBy(ended) >= v.Capacity*filledAtOnce &&
		v.One.Goodput(lastQuarter, 1) > grownSince*v.One.Goodput(halfway, lastQuarter) &&
		v.EndsNearFull()
}

// Regrows says that a stream lost nothing since slow start, and sped up ever since.
func (v *View) Regrows() bool { return v.SpeedsUp() && v.Losses.Resent >= 0 && v.Losses.Steady == 0 }

// EndsNearFull says that the stream had most of the path in its last quarter.
func (v *View) EndsNearFull() bool {
	return v.One.Goodput(lastQuarter, 1) >= ShallowShare*v.Capacity
}

// lostAnywhere is how probable it is of packets that are lost at random that all losses
// fell where a queue filled, and none elsewhere: of the stream's, before slow start
// ended; of UDP's, in rungs of whose excess a queue took most.
func (v *View) lostAnywhere(ended float64) float64 {
	var filling seen.Proportion
	for _, r := range v.Overloads() {
		if excess := 1 - r.Delivered/max(r.Sent, 1); r.Loss() < tookMost*excess {
			filling.Add(r.Lost, r.Packets)
		}
	}
	chance := stats.All(filling.K, float64(filling.N)/float64(filling.N+v.Base.N))
	starting := v.One.Goodput(0, ended/v.One.Duration) * ended
	return chance * stats.All(v.Losses.Real, starting/(v.One.Goodput(0, 1)*v.One.Duration))
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
	noChance     = 0.005
	startedBy    = 0.6 // of the test: slow start is over by then, and what it lost resent
	halfway      = 0.5
	filledAtOnce = 0.95 // of the path's rate
	lastQuarter  = 0.75
	grownSince   = 1.02 // times the rate of the quarter before
)
