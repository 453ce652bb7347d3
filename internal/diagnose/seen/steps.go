package seen

import (
	"math"

	"unchoke/internal/record"
)

// Steps are how a series of RTTs goes from one probe to the next, in seconds.
type Steps struct {
	N        int
	Apart    float64 // between two probes, the mean
	Up, Down float64 // the largest rise and the largest fall
	Rises    float64 // all rises together
	Drains   bool    // it never fell by more than passed between the two probes, as no queue does
	// Together counts the probes that came with the one before: something held both back
	// and let them go at once, so that the RTT fell by just as much as passed between them.
	// A delay that varies does so where packets keep their order: a radio link that sends
	// again what was lost holds back what came after it. A queue falls like that only while
	// nothing enters it.
	Together int
}

// StepsOf are those of probes that were answered.
func StepsOf(all []record.Probe) Steps {
	s := Steps{N: max(len(all)-1, 0), Drains: true}
	for i := range s.N {
		apart, rise := all[i+1].At-all[i].At, all[i+1].RTT-all[i].RTT
		s.Apart += apart / float64(s.N)
		s.Up, s.Down, s.Rises = max(s.Up, rise), max(s.Down, -rise), s.Rises+max(rise, 0)
		s.Drains = s.Drains && -rise <= apart
		if math.Abs(rise+apart) < max(togetherError*apart, togetherSeconds) {
			s.Together++
		}
	}
	return s
}

// The probes' own times are off by so much.
const (
	togetherError   = 0.03
	togetherSeconds = 0.0003
)
