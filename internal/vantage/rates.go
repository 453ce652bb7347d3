package vantage

import (
	"fmt"

	"unchoke/internal/record"
)

// rateDifferences are where places reach clearly different rates, whatever one
// stream makes of them, and places whose own streams fall behind what they
// forward.
func (s *survey) rateDifferences() []Insight {
	var out []Insight
	for _, d := range record.Directions {
		out = append(out, s.chainDifferences(d)...)
		out = append(out, s.topDifferences(d)...)
		out = append(out, s.slowEnds(d)...)
	}
	return out
}

func capacityOf(w *way) Figure { return w.capacity }

func rateOf(w *way) Figure { return w.rate }

func (s *survey) scatter(d record.Direction, figure func(*way) Figure) scatter {
	var figures []Figure
	for _, v := range s.views {
		if w := v.ways[d]; w != nil {
			figures = append(figures, figure(w))
		}
	}
	return scatterOf(figures)
}

// slowEnds are places through which one stream of the place behind them runs far
// faster than one of their own, which has the shorter way: what forwarding does
// not meet, and ending a connection does. Many streams may fill the line all the
// same. Two streams on one path differ by chance where it loses packets, but not
// so much in every round.
func (s *survey) slowEnds(d record.Direction) []Insight {
	var out []Insight
	noise := s.scatter(d, rateOf)
	for _, v := range s.views {
		next := s.net.passes[v]
		if next == nil || v.ways[d] == nil || next.ways[d] == nil {
			continue
		}
		own, forwards := next.ways[d].rate, v.ways[d].rate
		if slower, sure := noise.below(own, forwards); slower && forwards.Median > evidentBy*own.Median {
			x := s.rateInsight(d, map[*view]tells{next: affected, v: clean}, AtPlace(next.seen.Name), sure)
			x.Summary = fmt.Sprintf("One stream of %s carries %s, and one of %s through it %s: it is slow where it ends connections itself.",
				next.seen.Name, rates(own), v.seen.Name, rates(forwards))
			x.Why = append(x.Why, next.fullCore(d)...)
			out = append(out, x)
		}
	}
	return out
}

// chainDifferences hold each place against the next on its way.
func (s *survey) chainDifferences(d record.Direction) []Insight {
	var out []Insight
	noise := s.scatter(d, capacityOf)
	for _, v := range s.views {
		next := s.net.passes[v]
		if next == nil || v.ways[d] == nil || next.ways[d] == nil {
			continue
		}
		here, there := v.ways[d].capacity, next.ways[d].capacity
		if slower, sure := noise.below(here, there); slower {
			said := map[*view]tells{v: affected, next: clean}
			for _, behind := range s.views {
				if w := behind.ways[d]; w != nil && s.net.leads(behind, v) && w.capacity.Median < Matters*here.Median {
					said[behind] = affected
				}
			}
			x := s.rateInsight(d, said, Between(v.seen.Name, next.seen.Name), sure)
			x.Summary = fmt.Sprintf("%s reaches %s, %s behind it %s: the limit lies between them, not beyond.",
				next.seen.Name, rates(there), v.seen.Name, rates(here))
			out = append(out, s.finish(x, d, v))
		}
		if slower, sure := noise.below(there, here); slower {
			said := map[*view]tells{next: affected, v: clean}
			x := s.rateInsight(d, said, AtPlace(next.seen.Name), sure)
			x.Summary = fmt.Sprintf("%s reaches %s, and forwards %s for %s: it is slow where it ends connections itself.",
				next.seen.Name, rates(there), rates(here), v.seen.Name)
			out = append(out, s.finish(x, d, next))
		}
	}
	return out
}

// topDifferences hold the places whose ways meet no other place against each
// other, each with the best of those behind it.
func (s *survey) topDifferences(d record.Direction) []Insight {
	best := map[*view]*view{}
	var fastest *view
	for _, v := range s.views {
		if v.ways[d] == nil {
			continue
		}
		top := s.net.top(v)
		// A place behind the top stands for it only where it comes clearly farther.
		if b := best[top]; b == nil || v == top && v.ways[d].capacity.Median*Matters > b.ways[d].capacity.Median ||
			v != top && v.ways[d].capacity.Median > Matters*b.ways[d].capacity.Median {
			best[top] = v
		}
		if fastest == nil || v.ways[d].capacity.Median > fastest.ways[d].capacity.Median {
			fastest = v
		}
	}
	var out []Insight
	noise := s.scatter(d, capacityOf)
	for _, top := range s.views {
		b := best[top]
		if b == nil || s.net.top(fastest) == top {
			continue
		}
		slower, sure := noise.below(b.ways[d].capacity, fastest.ways[d].capacity)
		if !slower {
			continue
		}
		said := map[*view]tells{fastest: clean}
		for _, v := range s.views {
			if v.ways[d] != nil && s.net.top(v) == top && v.ways[d].capacity.Median <= Matters*b.ways[d].capacity.Median {
				said[v] = affected
			}
		}
		x := s.rateInsight(d, said, OwnWay(top.seen.Name), sure)
		x.Summary = fmt.Sprintf("%s reaches %s, %s %s, and their ways do not lead through each other.",
			b.seen.Name, rates(b.ways[d].capacity), fastest.seen.Name, rates(fastest.ways[d].capacity))
		out = append(out, s.finish(x, d, top))
	}
	return out
}

func (s *survey) rateInsight(d record.Direction, said map[*view]tells, at Segment, sure float64) Insight {
	x := s.insight("", d, said, at)
	x.Confidence = sure * s.net.certainty(s.views)
	return x
}

// finish looks whether the host at the segment's near end is the limit.
func (s *survey) finish(x Insight, d record.Direction, v *view) Insight {
	if at, why := s.inHost(x.Segment, []*view{v}, d); why != "" {
		x.Segment = at
		x.Why = append(x.Why, why)
	}
	return x
}

// rates are a figure's rounds: the median, or from the least to the most where
// they differ.
func rates(f Figure) string {
	if f.spread() > 1.05 {
		return fmt.Sprintf("%s (%s to %s)", rate(f.Median), rate(f.Low), rate(f.High))
	}
	return rate(f.Median)
}
