package view

import (
	"math"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/record"
)

// Constant is other traffic that sends at one rate whatever it meets, as UDP does.
type Constant struct {
	Line float64 // rate of the bottleneck, bit/s
	Rate float64 // of the others, bit/s
}

// constantOthers reads the ladder for others who do not give way. A queue that drops
// what finds no room takes of each sender in proportion to what it sends: of s beside x
// the line C lets C·s/(s+x) through, so that 1/delivered is a line over 1/sent. A
// stream, which does give way, is left with C-x; BBR, which pushes, has somewhat more. It is
// asked where this host timed the packets itself, so that no queue counts as delivered.
func (v *View) constantOthers() (Constant, bool) {
	var sent, delivered []float64
	for _, r := range v.Overloads() {
		if !r.Timed || r.Duration < leastOverload {
			continue
		}
		if r.OwnMost <= seen.FewPacketsTime(r) {
			return Constant{}, false // a queue that others and this fill makes packets wait
		}
		sent, delivered = append(sent, 1/r.Sent), append(delivered, 1/r.Delivered)
	}
	if v.Dir != record.Down || len(sent) < 2 || v.Isolated() {
		return Constant{}, false
	}
	if _, _, changes := seen.LineRates(v.Rungs); changes {
		return Constant{}, false // what a line of one rate leaves tells nothing of this one
	}
	slope, at0 := seen.LeastSquares(sent, delivered)
	if at0 <= 0 || slope < leastConstant || slope >= 1 {
		return Constant{}, false
	}
	for i := range sent {
		if math.Abs((at0+slope*sent[i])/delivered[i]-1) > proportionate {
			return Constant{}, false
		}
	}
	c := Constant{Line: 1 / at0, Rate: slope / at0}
	left := c.Line - c.Rate
	return c, math.Abs(v.Rate-left) < alikeLeft*left || v.pushesAside(c)
}

const (
	leastOverload = 0.1 // seconds: what a shorter rung delivered is no rate
	proportionate = 0.03
	// alikeLeft: the stream has what the others leave, to so much of it.
	alikeLeft = 0.1
)
