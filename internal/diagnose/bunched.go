package diagnose

import (
	"fmt"
	"math"

	"unchoke/internal/finding"
	"unchoke/internal/stats"
)

// bunched: the delay varies and the order is kept, as on a radio link, so that
// packets come in bunches; each bunch overflows a queue that would hold the
// stream if they came evenly.
func bunched(v *view) *finding.Finding {
	if !v.slow() || !v.bunches() || v.limits.Network < limitShare || !lossBasedOrUnknown(v.cc) || !v.lostInOrder() {
		return nil
	}
	if v.rate >= shallowShare*v.capacity && len(v.stalls) == 0 {
		return nil // a third more is not to be had
	}
	own, _, _ := v.wait()
	return v.ofBunches(own, bunchedConfidence, fmt.Sprintf("The queue at the bottleneck holds %s: the bunches overflow it long before the path is full.", size(own*v.capacity/8)))
}

// heldByJitter: such a delay, far more than a queue's, beside a stream that is slow
// for no other reason that shows. Its bunches overflow the queue, or its sender takes
// the delay for a queue that fills, and leaves slow start early. It is asked where
// nothing else was found.
func heldByJitter(v *view) *finding.Finding {
	varies := v.jittery() && v.keepsOrder() && v.idle.Dev >= jitterOfRTT*v.idle.Mid
	if !v.slow() || !varies || v.limits.Network < limitShare || !lossBasedOrUnknown(v.cc) || v.rate >= shallowShare*v.capacity {
		return nil
	}
	own, _, _ := v.wait()
	return v.ofBunches(own, heldByJitterSure, "Bunches overflow a queue that would hold the stream if they came evenly, and a sender that takes the delay for a queue leaves slow start early (HyStart): which of both holds this one back is not known.")
}

// heldByJitterSure: of 9 kept directions like that all were slow for the delay, 2 of
// them for slow start alone.
const heldByJitterSure = 0.7

// ofBunches is the finding that packets come in bunches, before a queue that holds so
// many seconds, and what comes of it.
func (v *view) ofBunches(own, confidence float64, what string) *finding.Finding {
	f := v.ofShallowBuffer(own, false, confidence)
	f.Summary = fmt.Sprintf("The delay varies by ±%s and keeps the packets' order, so that they come in bunches, as on radio links. %s One stream gets %s of %s.",
		duration(v.idle.Dev), what, rate(v.rate), rate(v.capacity))
	f.Evidence = append([]finding.Evidence{
		{What: "standard deviation of the RTT", Value: v.idle.Dev, Unit: finding.Seconds},
		{What: "jitter against RTT", Value: v.idle.Dev / max(v.idle.Mid, 1e-9), Unit: finding.Ratio},
	}, f.Evidence...)
	return f
}

// lostInOrder says that the stream lost packets. Where the order is kept nothing is
// resent in vain for having come late, so that segments which came twice speak of
// probes for the tail, not against a loss.
func (v *view) lostInOrder() bool {
	return v.losses.Real > 0 || v.keepsOrder() && v.losses.Resent > 0
}

// bunchedConfidence: others' traffic looks much the same. 12 of 13 were right.
const bunchedConfidence = 0.8

// bunches says that the delay varies by itself, that nothing overtakes, and that
// a few packets more make it longer: where the order is kept, each packet waits
// for the slowest before it, so that the delay rises with the number of packets,
// far below the rate at which a queue fills.
func (v *view) bunches() bool {
	own, _, known := v.wait()
	if !known || v.overtaken() || v.idle.Dev < jitterOfRTT*v.idle.Mid || v.idle.Dev < bunchOfQueue*own {
		return false
	}
	least := v.idle.Dev
	if v.keepsOrder() {
		least = bunchRise * min(least, v.usualSpread())
	}
	for _, r := range v.rungs {
		if r.sent < gentleShare*v.capacity && r.risen && r.lost == 0 && r.rise >= least {
			return true
		}
	}
	return false
}

// usualSpread is half of what the middle two thirds of the idle RTTs span: the
// standard deviation of normal ones, which a few late packets do not raise.
func (v *view) usualSpread() float64 {
	all := rtts(v.run.Echo("idle"), 0, math.Inf(1))
	if len(all) == 0 {
		return v.idle.Dev
	}
	return (stats.Quantile(all, 0.84) - stats.Quantile(all, 0.16)) / 2
}
