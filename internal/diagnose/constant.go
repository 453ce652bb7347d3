package diagnose

import (
	"math"

	"unchoke/internal/record"
)

// constant is other traffic that sends at one rate whatever it meets, as UDP does.
type constant struct {
	line float64 // rate of the bottleneck, bit/s
	rate float64 // of the others, bit/s
}

// constantOthers reads the ladder for others who do not give way. A queue that drops
// what finds no room takes of each sender in proportion to what it sends: of s beside x
// the line C lets C·s/(s+x) through, so that 1/delivered is a line over 1/sent. A
// stream, which does give way, is left with C-x. It is asked where this host timed the
// packets itself, so that no queue counts as delivered.
func (v *view) constantOthers() (constant, bool) {
	var sent, delivered []float64
	for _, r := range v.overloads() {
		if !r.timed || r.duration < leastOverload {
			continue
		}
		sent, delivered = append(sent, 1/r.sent), append(delivered, 1/r.delivered)
	}
	if v.dir != record.Down || len(sent) < 2 || v.isolated() {
		return constant{}, false
	}
	slope, at0 := leastSquares(sent, delivered)
	if at0 <= 0 || slope < leastConstant || slope >= 1 {
		return constant{}, false
	}
	for i := range sent {
		if math.Abs((at0+slope*sent[i])/delivered[i]-1) > proportionate {
			return constant{}, false
		}
	}
	c := constant{line: 1 / at0, rate: slope / at0}
	left := c.line - c.rate
	return c, math.Abs(v.rate-left) < alikeLeft*left
}

// leastSquares is the line through points: its slope, and its height at zero.
func leastSquares(x, y []float64) (slope, at0 float64) {
	n := float64(len(x))
	var mx, my, xx, xy float64
	for i := range x {
		mx, my = mx+x[i]/n, my+y[i]/n
	}
	for i := range x {
		xx += (x[i] - mx) * (x[i] - mx)
		xy += (x[i] - mx) * (y[i] - my)
	}
	if xx == 0 {
		return 0, 0
	}
	return xy / xx, my - xy/xx*mx
}

const (
	leastOverload = 0.1 // seconds: what a shorter rung delivered is no rate
	proportionate = 0.03
	// alikeLeft: the stream has what the others leave, to so much of it.
	alikeLeft = 0.1
	// constantSure: 2 of 2 such verdicts are right, one of them near the line, and none of
	// the other kept downloads, some 500, shows it.
	constantSure = 0.7
)
