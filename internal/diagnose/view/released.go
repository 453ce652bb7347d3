//go:build !slim

package view

import (
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/record"
)

// Releases says that packets were held back and came together, before anything was sent or
// beside UDP that fills no queue: the delay varies by itself and keeps their order. Others'
// queue does not do that.
func (v *View) Releases() bool {
	s := seen.StepsOf(seen.Answered(v.Run.Echo("idle")))
	if s.N >= tellingProbes && float64(s.Together) >= releasedIdle*float64(s.N) {
		return true
	}
	beside, of := releasedBeside(v.Run)
	return of >= tellingProbes && float64(beside) >= releasedGently*float64(of)
}

// releasedBeside counts, in both directions, the probes beside UDP of which nothing was lost
// and which was far slower than what came through.
func releasedBeside(run *record.Run) (released, of int) {
	most := map[record.Direction]float64{}
	for _, t := range run.Transfers {
		most[t.Direction] = max(most[t.Direction], t.Rate)
	}
	for _, t := range run.Transfers {
		if t.UDP == nil || t.UDP.Lost > 0 || t.Rate >= gentleShare*most[t.Direction] {
			continue
		}
		s := seen.StepsOf(seen.Answered(run.Echo(t.Name)))
		released, of = released+s.Together, of+s.N
	}
	return released, of
}

// Of 75 idle probes, a fiftieth of a second apart, of each of 120 kept paths beside others
// and 106 where packets overtake, at most 2 come together; of 114 whose delay varies in
// order, half have 4 and more. Of 60 probes and more beside gentle UDP, four times as close,
// at most a ninth do on 152 kept paths, and a quarter and more on 17 of 18 whose delay
// varies in order, all but one of half a millisecond.
const (
	releasedIdle   = 0.05
	releasedGently = 0.18
)
