package diagnose

import (
	"fmt"
	"slices"

	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/stats"
	"unchoke/internal/theory"
)

// young: slow start overflowed the queue at the bottleneck once, or lost a packet or
// two by chance, and the sender grows back for longer than the test lasted, as on
// satellite links. Packets then come in one burst a round trip, at the bottleneck's
// rate, with silence between. It is asked where nothing else was measured of the
// direction.
func young(v *view) *finding.Finding {
	if !v.alone() || !v.slow() || !lossBasedOrUnknown(v.cc) {
		return nil
	}
	ended, lost, found := v.lostOnce()
	if !found || v.one.Duration-ended < growingBack*v.idle.Mid {
		return nil
	}
	bottleneck := max(v.burstRate(ended), v.trainRate())
	confidence, began := overshootSure, "Slow start overflowed the queue at the bottleneck once, and nothing was lost since."
	if lost < leastOvershoot {
		confidence, began = earlyLoss, fmt.Sprintf("Slow start ended when %g packets were lost, before the path was full, and nothing was lost since.", lost)
	}
	if bottleneck < gainMatters*v.rate {
		return nil
	}
	bdp := bottleneck / 8 * v.idle.Mid
	grows := theory.CubicGrowth(bdp, v.mss)
	if grows < v.one.Duration-ended {
		return nil
	}
	return &finding.Finding{
		Cause: finding.SlowStart, Confidence: confidence, Severity: stats.Clamp(1-v.rate/bottleneck, 0, 1) / 2,
		Summary: fmt.Sprintf("%s A window that fills %s at a round trip of %s takes CUBIC %s to grow back to, which this test did not last: one stream gets %s while it is so young.",
			began, rate(bottleneck), duration(v.idle.Mid), duration(grows), rate(v.rate)),
		Evidence: append([]finding.Evidence{
			{What: "one stream carries", Value: v.rate, Unit: finding.BitRate},
			{What: "packets arrive within a burst at", Value: bottleneck, Unit: finding.BitRate},
			{What: "bandwidth-delay product", Value: bdp, Unit: finding.Bytes},
			{What: "growing back takes (RFC 9438 §4.2, K)", Value: grows, Unit: finding.Seconds, Source: theory.CubicGrowthSource},
			{What: "of the test were left for it", Value: v.one.Duration - ended, Unit: finding.Seconds},
		}, v.retransmitEvidence()...),
		Remedies: []finding.Remedy{
			{
				What:  "Use one connection for long, and keep it busy (net.ipv4.tcp_slow_start_after_idle=0 keeps what it has found through pauses): it fills the path after a while. A longer test shows it: iperf3 -t 60.",
				Where: finding.Sender, Host: v.sender(),
			},
		},
	}
}

// overshootSure: 6 of 6 such verdicts were right; a small count, shrunk.
const overshootSure = 0.75

// earlyLoss is the confidence where a few packets ended slow start: loss that is rare
// and stays would look the same.
const earlyLoss = 0.5

// lostOnce is when the one stream's only losses ended, in seconds since it began, and
// how many segments they were: within two round trips, and many where slow start
// sends twice what the path takes. Not found where it lost none, or again later.
func (v *view) lostOnce() (ended, lost float64, found bool) {
	type loss struct{ from, to, resent float64 }
	var all []loss
	for _, i := range v.one.Far {
		if i.Retransmits > 0 {
			all = append(all, loss{i.Start, i.End, float64(i.Retransmits)})
		}
	}
	if s, ok := flow.Seen(v.one.Series, true); ok {
		all = nil
		for i := 1; i < len(s.Samples); i++ {
			if n := int64(s.Samples[i].Info.TotalRetrans) - int64(s.Samples[i-1].Info.TotalRetrans); n > 0 {
				all = append(all, loss{s.Samples[i-1].At, s.Samples[i].At, float64(n)})
			}
		}
	}
	for _, l := range all {
		lost += l.resent
	}
	if len(all) == 0 {
		return 0, 0, false
	}
	first, last := all[0], all[len(all)-1]
	whole := 1.0 // a far sender tells by the second
	return last.to, lost, last.from-first.to <= max(2*v.idle.Mid, whole)
}

// burstRate is the rate at which a stream's packets came where they came, from a
// time on: of ten intervals the one before the fastest.
func (v *view) burstRate(from float64) float64 {
	var rates []float64
	for _, i := range v.one.Intervals {
		if i.At > from {
			rates = append(rates, i.Rate)
		}
	}
	if len(rates) < 8 {
		return 0
	}
	slices.Sort(rates)
	return rates[len(rates)*9/10]
}
