package twin

import (
	"math"

	"unchoke/internal/record"
	"unchoke/internal/stats"
	"unchoke/internal/wire"
)

// Panel is the copies of a direction that behave as the path did: what arms
// are tried on.
type Panel struct {
	Direction record.Direction
	Agrees    bool
	Compared  []Compared
	// Members are the copies in their seats. The first half of them is a panel
	// of its own.
	Members []Copy
	// NearBuffers says that the hosts' buffers hold about what the path has under
	// way: they may be what holds a stream back.
	NearBuffers bool
	// Effective is how many copies of equal weight would say as much.
	Effective float64
}

// Judge holds the copies against the record, by the outcomes of their checks in
// order, and seats so many of them, each as often as it is likely. One that is
// seated again has other chances in its runs.
func (f Fit) Judge(d record.Direction, copies []Copy, outcomes [][]Outcome, seats int) Panel {
	measured := f.way(d).Seen
	behaviours := make([]Behaviour, len(copies))
	for i, c := range copies {
		behaviours[i] = c.behaviour(measured, outcomes[i])
	}
	weights := weigh(measured, behaviours)
	p := Panel{Direction: d, Compared: compare(measured, behaviours, weights), Agrees: !f.holes[d], NearBuffers: f.way(d).figures.NearBuffers}
	if f.way(d).unmet {
		p.Compared = append(p.Compared, unmet(f.way(d).figures.Capacity, copies, weights))
	}
	for _, c := range p.Compared {
		p.Agrees = p.Agrees && c.Agrees
	}
	// Systematic resampling (Kitagawa, "Monte Carlo Filter and Smoother for
	// Non-Gaussian Nonlinear State Space Models", 1996).
	sum, next := 0.0, 0.5/float64(seats)
	for i, w := range weights {
		sum += w
		for again := uint64(0); next < sum && len(p.Members) < seats; again++ {
			c := copies[i]
			c.Seed += again * 1_000_003
			p.Members = append(p.Members, c)
			next += 1 / float64(seats)
		}
	}
	p.Members = halves(p.Members)
	squares := 0.0
	for _, w := range weights {
		squares += w * w
	}
	p.Effective = 1 / squares
	return p
}

// unmet is the path's rate where nothing that was sent met it: it is no slower
// than what arrived, and nobody knows how much faster.
func unmet(arrived float64, copies []Copy, weights []float64) Compared {
	c := Compared{What: "ceiling, which nothing that was sent met,", Rate: true, Measured: arrived}
	for i, w := range weights {
		c.Twin += w * bottleneckRate(copies[i].Path) / wire.PerGoodput
	}
	return c
}

// halves puts every other member first.
func halves(all []Copy) []Copy {
	var first, second []Copy
	for i, c := range all {
		if i%2 == 0 {
			first = append(first, c)
		} else {
			second = append(second, c)
		}
	}
	return append(first, second...)
}

// Trials are an arm's, one a member.
func (p Panel) Trials(a Arm, members []Copy) []Trial {
	out := make([]Trial, len(members))
	for i, c := range members {
		out[i] = a.trial(c)
	}
	return out
}

// Firm says that outcomes are so much alike that more would say the same.
func Firm(outcomes []Outcome) bool {
	low, high := math.Inf(1), 0.0
	for _, o := range outcomes {
		low, high = min(low, o.Rate), max(high, o.Rate)
	}
	return high <= alike*low
}

// alike: what is told apart by less than a tenth gains nothing worth a change.
const alike = 1.1

// Neighbored are an arm's trials on some members with a CUBIC stream beside it.
func (p Panel) Neighbored(a Arm, n int) []Trial {
	var out []Trial
	for i := 0; i < len(p.Members); i += max(len(p.Members)/max(n, 1), 1) {
		t := a.trial(p.Members[i])
		t.Neighbor = cubic
		out = append(out, t)
	}
	return out
}

// Predict reads an arm's outcomes beside those of now, member by member.
func (p Panel) Predict(a Arm, arm, now, neighbored []Outcome) record.Predicted {
	of := func(outcomes []Outcome, figure func(Outcome) float64) []float64 {
		out := make([]float64, len(outcomes))
		for i, o := range outcomes {
			out[i] = figure(o)
		}
		return out
	}
	rates := of(arm, func(o Outcome) float64 { return o.Rate })
	gains := make([]float64, len(arm))
	for i := range arm {
		gains[i] = max(arm[i].Rate, 1) / max(now[i].Rate, 1)
	}
	out := record.Predicted{
		Arm: a.Name, Direction: p.Direction, Without: words(a.Without),
		Rate: stats.Median(rates), Gain: stats.Median(gains),
		RTT: stats.Median(of(arm, func(o Outcome) float64 { return o.RTT })),
		Resent: stats.Median(of(arm, func(o Outcome) float64 {
			return o.Resent / max(o.Segments, 1)
		})),
	}
	out.Low, out.High = bounds(rates)
	out.GainLow, out.GainHigh = bounds(gains)
	if len(neighbored) > 0 {
		out.Neighbor = stats.Median(of(neighbored, func(o Outcome) float64 { return o.Neighbor }))
	}
	return out
}

// bounds hold nine of ten: the outer of the values, and beyond them what the lab's
// model itself is off, and what a path does after a check has looked.
func bounds(values []float64) (low, high float64) {
	const off = modelError * later
	q := stats.Quantiles(values, 0.05, 0.95)
	return q[0] / off, q[1] * off
}

// modelError is how far stock iperf3 on a path and the lab's own traffic on the
// same path are apart.
const modelError = 1.1

// later is how much further a path moves that a check sees for seconds: of three draws
// 208 of 246 intervals held the truth without it, those of rates that step, of
// handovers and of policers' buckets least.
const later = 1.05

// Settled says that the panel agrees by so many copies at least that count.
func (p Panel) Settled(enough float64) bool { return p.Agrees && p.Effective >= enough }
