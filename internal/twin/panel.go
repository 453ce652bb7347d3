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
	// Measured is what one stream carried on the path, in bit/s.
	Measured float64
	// Members are the copies in their seats. The first half of them is a panel
	// of its own.
	Members []Copy
	// NearBuffers says that the hosts' buffers hold about what the path has under
	// way: they may be what holds a stream back.
	NearBuffers bool
	// CostlyOutages says that outages cost a stream more than a copy may be off.
	CostlyOutages bool
	// Quick says that its trials are quick ones, on few members.
	Quick bool
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
	p := Panel{Direction: d, Compared: compare(measured, behaviours, weights), Agrees: !f.holes[d], Measured: measured.One.Rate, CostlyOutages: f.Outages.Costly, NearBuffers: f.way(d).figures.NearBuffers}
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

// Predict reads an arm's outcomes beside those of now, member by member. A gain's bounds are
// what the copies span, with quick trials too: rules of the diagnosis hold them against limits
// that were found by them.
func (p Panel) Predict(a Arm, arm, now, neighbored []Outcome) record.Predicted {
	rates, gains := make([]float64, len(arm)), make([]float64, len(arm))
	for i := range arm {
		rates[i] = p.carried(arm[i])
		gains[i] = rates[i] / p.carried(now[i])
	}
	rate, gain := spanned(rates), spanned(gains)
	if p.Quick {
		rate = ofFew(rates)
	}
	return record.Predicted{
		Arm: a.Name, Direction: p.Direction, Without: words(a.Without),
		Rate: rate.middle, Low: rate.low, High: rate.high,
		Gain: gain.middle, GainLow: gain.low, GainHigh: gain.high,
		RTT:      middle(arm, func(o Outcome) (float64, bool) { return o.RTT, o.Failed == "" && o.RTT > 0 }),
		Resent:   middle(arm, func(o Outcome) (float64, bool) { return o.Resent / max(o.Segments, 1), true }),
		Neighbor: middle(neighbored, func(o Outcome) (float64, bool) { return o.Neighbor, true }),
	}
}

// carried is an outcome's rate in bit/s. One that is next to nothing counts as a hundredth of
// what was measured: a copy on which a stream stood still is slow, and by how much is chance.
func (p Panel) carried(o Outcome) float64 { return max(o.Rate, p.Measured/100, 1) }

// middle is the median of a figure of those outcomes that have it; 0 where none has.
func middle(outcomes []Outcome, figure func(Outcome) (value float64, has bool)) float64 {
	var values []float64
	for _, o := range outcomes {
		if v, has := figure(o); has {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return 0
	}
	return stats.Median(values)
}

// Settled says that the panel agrees by so many copies at least that count.
func (p Panel) Settled(enough float64) bool { return p.Agrees && p.Effective >= enough }
