package truth

import (
	"slices"

	"unchoke/internal/tools/diagnosis/draw"
)

type answer int

const (
	no answer = iota
	perhaps
	yes
)

// isBloat holds the runs against bufferbloat's definition.
func isBloat(s *series) answer {
	idle := s.median(func(r Run) float64 { return r.IdleRTT })
	load := s.median(func(r Run) float64 { return r.LoadRTT })
	over := min(load/(bloatRatio*idle), (load-idle)/bloatExcess)
	switch {
	case idle == 0 || load == 0 || over < 1/bloatMargin:
		return no
	case over < bloatMargin:
		return perhaps
	}
	return yes
}

// growing: a stream that carries twice as much later as in its first seconds.
const growing = 2

// see notes the direction as it is, and what follows from that without a
// counterfactual: a standing queue, a growth that outlasts a short stream, and
// a stream that is slow for no reason that was tried.
func (j *judge) see(way draw.Direction, base *series, before int) {
	seen := Seen{
		Rate:    base.rate(),
		Early:   base.median(func(r Run) float64 { return r.Early }),
		IdleRTT: base.median(func(r Run) float64 { return r.IdleRTT }),
		LoadRTT: base.median(func(r Run) float64 { return r.LoadRTT }),
		Runs:    base.runs,
	}
	j.truth.Seen[way] = seen
	causes := len(j.truth.Causes) > before
	if !causes && seen.Early*growing < seen.Rate {
		j.truth.Perhaps = append(j.truth.Perhaps, named("growth", way, seen.Rate/max(seen.Early, 1)))
	}
	if !causes && seen.Rate < slow*j.draw.Ceiling[way] && !j.perhaps(way) {
		j.truth.Unexplained = true
	}
	switch isBloat(base) {
	case yes:
		j.truth.Causes = append(j.truth.Causes, named("standing-queue", way, 0))
	case perhaps:
		j.truth.Perhaps = append(j.truth.Perhaps, named("standing-queue", way, 0))
	}
}

func (j *judge) perhaps(way draw.Direction) bool {
	return slices.ContainsFunc(j.truth.Perhaps, func(c Cause) bool { return c.Direction == way })
}
