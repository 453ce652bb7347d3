package watched

import "unchoke/internal/live"

// warnings are what is about to go wrong.
func (v *view) warnings() []live.Warning {
	if v.inChaos() {
		return []live.Warning{live.ChaosZone}
	}
	return nil
}

// inChaos says that packets overtake each other and that the delay varies by so
// much of the round trip that the stream has lost half of its throughput, or may
// at any time. Delay that varies while the order is kept has no such cliff.
func (v *view) inChaos() bool {
	return v.sends && v.watching() == "" && v.ReorderLately >= leastReorder && v.jitterRatio() >= v.chaosRatio()
}

// jitterRatio is the jitter of one direction over the round trip.
func (v *view) jitterRatio() float64 {
	if v.rtt <= 0 {
		return 0
	}
	return v.Jitter / v.rtt
}

// chaosRatio is where the cliff begins for the flow's congestion control: BBR
// loses half earlier than those that answer to losses.
func (v *view) chaosRatio() float64 {
	if v.answersLoss() {
		return chaosLossBased
	}
	return chaosOthers
}
