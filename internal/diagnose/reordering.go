package diagnose

import (
	"fmt"
	"slices"

	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/internal/stats"
	"unchoke/internal/theory"
)

// reordering: packets overtake each other, the sender takes the overtaken for
// lost, resends what was not lost and slows down: the jitter cliff.
func reordering(v *view) *finding.Finding {
	if !v.slow() || !v.reordered() || v.limits.Network < limitShare {
		return nil
	}
	p, _ := v.realLoss()
	model := min(theory.CubicRate(v.idle.Mid, p, v.mss), v.capacity)
	if v.rate >= byLossAlone*model && model < slowShare*v.capacity {
		return nil // loss alone explains the rate
	}
	confidence := reorderingLeast + (reorderingMost-reorderingLeast)*stats.Clamp(max(v.losses.SpuriousShare(), 20*v.strays.mean()), 0, 1)
	_, acks := v.acksQueue()
	if v.growing || v.widening() || acks && v.rate*v.loaded.Mid > wholePipe*8*v.bdp() {
		// As much is under way as the path holds, and waits for acknowledgements. Or it
		// speeds up all the same: it may only be slow for the slow start that it left
		// early, which delay that varies causes as well.
		confidence = reorderingGrows
	}
	return v.ofReordering(confidence)
}

// How sure reordering is: where the sender resent mostly in vain 15 of 22 were right
// at first sight, where it speeded up nonetheless 5 of 9. Delay that varies may cost a
// stream more by other ways.
const (
	reorderingLeast = 0.65
	reorderingMost  = 0.75
	reorderingGrows = 0.6
	// wholePipe is of a bandwidth-delay product: a sender that takes what was overtaken
	// for lost has less under way.
	wholePipe = 0.8
)

// ofReordering is the finding that packets overtake each other.
func (v *view) ofReordering(confidence float64) *finding.Finding {
	return &finding.Finding{
		Cause:      finding.Reordering,
		Confidence: confidence,
		Severity:   v.shortfall() * v.limits.Network,
		Summary: fmt.Sprintf("Packets overtake each other (delay varies by ±%s), and the sender takes the overtaken for lost: one stream gets %s of %s.",
			duration(v.idle.Dev), rate(v.rate), rate(v.capacity)),
		Evidence: append([]finding.Evidence{
			{What: "one stream carries", Value: v.rate, Unit: finding.BitRate},
			{What: "the path carries", Value: v.capacity, Unit: finding.BitRate},
			{What: "UDP packets out of order", Value: v.strays.mean(), Unit: finding.Ratio},
			{What: "UDP loss below the ceiling", Value: v.base.mean(), Unit: finding.Ratio},
			{What: "reordering events seen by the sender", Value: float64(v.losses.ReordSeen), Unit: finding.Count},
			{What: "standard deviation of the RTT", Value: v.idle.Dev, Unit: finding.Seconds},
			{What: "jitter against RTT", Value: v.idle.Dev / max(v.idle.Mid, 1e-9), Unit: finding.Ratio},
		}, v.retransmitEvidence()...),
		Remedies: v.reorderingRemedies(),
	}
}

// overtaken says that packets overtook each other, as far as anybody saw: UDP
// packets that arrived out of order, or a sender that noticed it. Where neither
// was there to see it, segments that arrived twice must do. What a sender notices
// on a path that keeps the order of all else happened in a host, which takes a
// bunch of packets in at once (GRO behind a tunnel).
func (v *view) overtaken() bool {
	if float64(v.strays.n) >= fairSample && v.strays.k == 0 && v.keepsOrder() {
		return false
	}
	if v.strays.n > 0 {
		return v.strays.k > 0 || v.losses.ReordSeen > 0
	}
	return v.losses.ReordSeen > 0 || v.losses.Spurious >= 3
}

// reordered says that the stream suffered from packets out of order: its
// sender resent much needlessly, or noticed it, or UDP packets arrived so. A delay
// that varies makes a sender resend needlessly as well, by its timers, without any
// packet overtaking another.
func (v *view) reordered() bool {
	l := v.losses
	if !v.overtaken() || l.Spurious == 0 && l.ReordSeen == 0 {
		return false // whatever overtook, the sender did not take it for lost
	}
	if l.Resent > 0 && l.Spurious >= 3 && l.SpuriousShare() >= spuriousShare {
		return true
	}
	if l.ReordSeen >= 5 {
		return true
	}
	if l.Real >= 20 && l.SpuriousShare() < spuriousShare/4 {
		return false // what it resent had really been lost
	}
	return v.strays.k >= 3 && v.strays.mean() > strayShare
}

// widening says that the sender's window grew after slow start and never fell:
// nothing that it took for congestion holds it back any more.
func (v *view) widening() bool {
	var windows []float64
	for _, i := range v.one.Far {
		if v.dir == record.Down && i.Start >= steadyFrom*v.one.Duration {
			windows = append(windows, float64(i.Cwnd))
		}
	}
	if s, ok := flow.Sending(v.one); ok {
		for _, x := range s.Samples {
			if x.At >= steadyFrom*v.one.Duration {
				windows = append(windows, float64(x.Info.SndCwnd))
			}
		}
	}
	return len(windows) >= 3 && slices.IsSorted(windows) && windows[len(windows)-1] > grownBy*windows[0]
}

// realLoss is the share of packets that really vanish, spurious retransmits
// left out: UDP's figure where there is one. Without one, a stream that resent
// mostly needlessly is taken to have lost nothing: DSACKs report only some of it.
func (v *view) realLoss() (p float64, n int64) {
	switch {
	case float64(v.base.n) >= fairSample || v.base.n > 0 && v.reordered():
		return v.base.mean(), v.base.n
	case v.reordered() && v.losses.SpuriousShare() >= 0.5:
		return 0, v.losses.Segments
	}
	return v.losses.RealRatio(), v.losses.Segments
}

func (v *view) reorderingRemedies() []finding.Remedy {
	return []finding.Remedy{
		{
			What:  "Stop the reordering where it happens: per-packet load balancing over several links, a multi-queue tunnel, a radio link that delivers out of order. Jitter that keeps the order does no such harm.",
			Where: finding.Network,
		},
		finding.Remedy{
			What:  "On the sending host, let TCP wait for stragglers longer before it calls them lost: net.ipv4.tcp_reordering is where it starts, tcp_max_reordering the bound. Compare congestion controls before choosing one: near the cliff either may win.",
			Where: finding.Sender,
			Host:  v.sender(),
		}.By(finding.TolerateReordering()),
	}
}
