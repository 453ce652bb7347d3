//go:build !slim

package seen

import (
	"math"

	"unchoke/internal/record"
)

// Released counts, of answered probes but the first, those that came together with the one
// before: something held both back and let them go at once, so that the RTT falls by just
// as much as passed between them. A delay that varies does so where packets keep their
// order: a radio link that sends again what was lost holds back what came after it. A queue
// falls like that only while nothing enters it.
func Released(all []record.Probe) (released, of int) {
	for i := 1; i < len(all); i++ {
		apart, fall := all[i].At-all[i-1].At, all[i-1].RTT-all[i].RTT
		if math.Abs(fall-apart) < max(releasedError*apart, releasedSeconds) {
			released++
		}
	}
	return released, max(len(all)-1, 0)
}

// The probes' own times are off by so much.
const (
	releasedError   = 0.03
	releasedSeconds = 0.0003
)
