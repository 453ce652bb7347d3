//go:build !slim

package rules

import "unchoke/internal/diagnose/view"

// keptShort is how long a queue takes, in seconds, that others keep full and that is short
// against the RTT: most of what a stream sends into it is lost, however little that is.
func keptShort(v *view.View) (wait float64, found bool) {
	least := v.LeastSeen()
	wait = v.FullQueue() - least
	found = wait > 0 && wait < shortOfRTT*least && v.Rate < starvedShare*v.Capacity && v.Losses.RealRatio() > shortLoss
	return wait, found
}

// Of 3 kept directions with others like that 2 gain several times with a longer queue; in the
// third, of four packets, others fill any.
const (
	shortOfRTT   = 0.17
	starvedShare = 0.25
	shortLoss    = 0.05
)
