//go:build !slim

package view

import "unchoke/internal/diagnose/seen"

// DelayDev is the standard deviation of the delays of packets that were sent evenly below
// the ceiling, in seconds, by the slowest of such rungs that this host timed: a normal
// distribution's 95th percentile is so many deviations above its median. known is false
// where it timed none.
func (v *View) DelayDev() (dev float64, known bool) {
	var gentlest seen.Rung
	for _, r := range v.Rungs {
		if r.Timed && r.Packets >= delayPackets && v.inBaseline(r) && (!known || r.Sent < gentlest.Sent) {
			gentlest, known = r, true
		}
	}
	return (gentlest.OwnMost - gentlest.Own) / normal95, known
}

const (
	normal95     = 1.645 // of a normal distribution: standard deviations from the median to the 95th percentile
	delayPackets = 20    // of fewer, the 95th percentile is the most
)
