package diagnose

import (
	"fmt"

	"unchoke/internal/theory"
)

// reordering: packets overtake each other, the sender takes the overtaken for
// lost, resends what was not lost and slows down: the jitter cliff.
func reordering(v *view) *Finding {
	if !v.slow() || !v.reordered() || v.limits.network < 0.3 {
		return nil
	}
	p, _ := v.realLoss()
	model := min(theory.CubicRate(v.idle.mid, p, v.mss), v.capacity)
	if v.rate >= 0.5*model && model < slowShare*v.capacity {
		return nil // loss alone explains the rate
	}
	return &Finding{
		Cause:      Reordering,
		Confidence: 0.7 + 0.25*clamp(max(v.losses.spuriousShare(), 20*v.strays.mean()), 0, 1),
		severity:   v.shortfall() * v.limits.network,
		Summary: fmt.Sprintf("Packets overtake each other (delay varies by ±%s), and the sender takes the overtaken for lost: one stream gets %s of %s.",
			duration(v.idle.dev), rate(v.rate), rate(v.capacity)),
		Evidence: append([]Evidence{
			{What: "one stream carries", Value: v.rate, Unit: bitRate},
			{What: "the path carries", Value: v.capacity, Unit: bitRate},
			{What: "UDP packets out of order", Value: v.strays.mean(), Unit: ratio},
			{What: "UDP loss below the ceiling", Value: v.base.mean(), Unit: ratio},
			{What: "reordering events seen by the sender", Value: float64(v.losses.reordSeen), Unit: count},
			{What: "standard deviation of the RTT", Value: v.idle.dev, Unit: seconds},
			{What: "jitter against RTT", Value: v.idle.dev / max(v.idle.mid, 1e-9), Unit: ratio},
		}, v.retransmitEvidence()...),
		Remedies: v.reorderingRemedies(),
	}
}

// reordered says that the stream suffered from packets out of order: its
// sender resent much in vain, or noticed it, or UDP packets arrived so.
func (v *view) reordered() bool {
	l := v.losses
	if l.resent > 0 && l.spurious >= 3 && l.spuriousShare() >= 0.2 {
		return true
	}
	if l.reordSeen >= 5 {
		return true
	}
	return v.strays.k >= 3 && v.strays.mean() > 0.002
}

// realLoss is the share of packets that really vanish, spurious retransmits
// left out: UDP's figure where there is one. Without one, a stream that resent
// mostly in vain is taken to have lost nothing: DSACKs report only some of it.
func (v *view) realLoss() (p float64, n int64) {
	switch {
	case v.base.n >= fairSample || v.base.n > 0 && v.reordered():
		return v.base.mean(), v.base.n
	case v.reordered() && v.losses.spuriousShare() >= 0.5:
		return 0, v.losses.segments
	}
	return v.losses.ratio(), v.losses.segments
}

func (v *view) reorderingRemedies() []Remedy {
	return []Remedy{
		{
			What:  "Stop the reordering where it happens: per-packet load balancing over several links, a multi-queue tunnel, a radio link that delivers out of order. Jitter that keeps the order does no such harm.",
			Where: Network,
		},
		{
			What:    "On the sending host, let TCP wait for stragglers longer before it calls them lost: net.ipv4.tcp_reordering is where it starts, tcp_max_reordering the bound. Compare congestion controls before choosing one: near the cliff either may win.",
			Where:   Sender,
			Host:    v.sender(),
			Command: "sysctl -w net.ipv4.tcp_reordering=30 net.ipv4.tcp_max_reordering=1000",
		},
	}
}
