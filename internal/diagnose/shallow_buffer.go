package diagnose

import (
	"fmt"

	"unchoke/internal/finding"
	"unchoke/internal/theory"
)

// shallowBuffer: the bottleneck loses nothing that comes evenly, and its queue
// is too short for what a window-based sender sends in bursts: the sender
// overflows it long before the path is full.
func shallowBuffer(v *view) *finding.Finding {
	if !v.slow() || v.losses.Real == 0 || v.limits.Network < limitShare || !lossBasedOrUnknown(v.cc) {
		return nil
	}
	if v.reordered() || v.randomLossExplains() {
		return nil
	}
	if _, busy := v.others(); busy {
		return nil
	}
	if _, policed := v.policer(); policed {
		return nil
	}
	own, _, known := v.wait()
	managed := v.isolated()
	if !known || !managed && own > shallowQueue*v.idle.Mid {
		return nil
	}
	if !managed && v.keepsClearOf(own) {
		return nil
	}
	c := v.silenceConfidence()
	if _, held := v.lossHolds(); held || v.perhapsOthers() {
		c = min(c, perhapsOthers)
	}
	return v.ofShallowBuffer(own, managed, c)
}

// ofShallowBuffer is the finding that a queue overflows early: a full one waits
// so many seconds, or is managed to be short.
func (v *view) ofShallowBuffer(own float64, managed bool, confidence float64) *finding.Finding {
	what := fmt.Sprintf("holds %s, a fraction of the %s that are under way on this path", size(own*v.capacity/8), size(v.bdp()))
	if managed {
		what = "drops early to keep the delay short (an AQM such as CoDel)"
	}
	even := "all arrive"
	if v.base.k >= 2 {
		even = "arrive but for " + percent(v.base.mean())
	}
	return &finding.Finding{
		Cause:      finding.ShallowBuffer,
		Confidence: confidence,
		Severity:   v.shortfall() * v.limits.Network,
		Summary: fmt.Sprintf("Packets sent evenly %s, up to %s. The queue at the bottleneck %s, so a stream's bursts overflow it long before the path is full: one stream gets %s.",
			even, rate(v.capacity), what, rate(v.rate)),
		Evidence: append([]finding.Evidence{
			{What: "one stream carries", Value: v.rate, Unit: finding.BitRate},
			{What: "the path carries", Value: v.capacity, Unit: finding.BitRate},
			{What: "UDP packets sent below the ceiling", Value: float64(v.base.n), Unit: finding.Count},
			{What: "of them lost", Value: float64(v.base.k), Unit: finding.Count},
			{What: "wait in the full queue", Value: own, Unit: finding.Seconds},
			{What: "queue at the bottleneck", Value: own * v.capacity / 8, Unit: finding.Bytes},
			{What: "bandwidth-delay product", Value: v.bdp(), Unit: finding.Bytes},
		}, v.retransmitEvidence()...),
		Remedies: []finding.Remedy{
			finding.Remedy{
				What:  "Send evenly instead of in bursts: BBR paces its packets at the rate of the path, and fq as the sender's queue paces those of other algorithms. It acts on new connections.",
				Where: finding.Sender,
				Host:  v.sender(),
			}.By(finding.UseCC("bbr")),
			{
				What:  "Where the router at the bottleneck is yours: give its queue about a bandwidth-delay product, or shape to just below its rate with an AQM there.",
				Where: finding.Network,
			},
		},
	}
}

// keepsClearOf says that the stream never stood in a queue of this wait, in
// seconds, once it was under way, although echoes would have shown it: it may
// have overflowed the queue in slow start, and has not come near it since.
func (v *view) keepsClearOf(wait float64) bool {
	visible := wait > 2*queueRise*v.idle.Mid && wait > 3*v.idle.Dev
	return visible && v.loaded.N > 0 && v.loaded.High-v.idle.High < wait/4
}

// randomLossExplains says that the loss which UDP met below the ceiling would
// hold a loss-based stream at about the rate that it has.
func (v *view) randomLossExplains() bool {
	return v.base.k >= 2 && theory.CubicRate(v.idle.Mid, v.base.mean(), v.mss) < explains*v.rate
}

// silenceConfidence is how sure it is that no random loss was overlooked: UDP's
// silence bounds it, and with it what it would leave of the rate.
func (v *view) silenceConfidence() float64 {
	if v.moves() {
		return 0.5 // others' queue makes the RTT what it is
	}
	switch most := theory.CubicRate(v.idle.Mid, v.base.high(), v.mss); {
	case v.base.n == 0:
		return 0.4
	case most > v.rate:
		return 0.9
	case most > v.rate/explains:
		return 0.8
	}
	return 0.75 // few packets bound it; 6 of 7 were right all the same
}

// lossBasedOrUnknown says that a congestion control takes losses for congestion, or that
// nobody knows which it is.
func lossBasedOrUnknown(cc string) bool { return cc == "" || lossBased[cc] }
