package seen

import "unchoke/internal/record"

// Steps are how a series of RTTs goes from one probe to the next, in seconds.
type Steps struct {
	Apart    float64 // between two probes, the mean
	Up, Down float64 // the largest rise and the largest fall
	Rises    float64 // all rises together
	Drains   bool    // it never fell by more than passed between the two probes, as no queue does
}

// StepsOf are those of probes that were answered.
func StepsOf(all []record.Probe) Steps {
	s := Steps{Drains: true}
	for i, p := range all[1:] {
		apart, rise := p.At-all[i].At, p.RTT-all[i].RTT
		s.Apart += apart / float64(len(all)-1)
		s.Up, s.Down, s.Rises = max(s.Up, rise), max(s.Down, -rise), s.Rises+max(rise, 0)
		s.Drains = s.Drains && -rise <= apart
	}
	return s
}
