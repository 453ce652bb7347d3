package diagnose

import (
	"fmt"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// ackLimited: the way back is too thin for the acknowledgements.
func ackLimited(v *view) *finding.Finding {
	back := newCeiling(v.run, v.dir.Opposite())
	if !v.slow() || back <= 0 || !v.queued() {
		return nil
	}
	// Linux acknowledges every second segment (RFC 5681 §4.2), in a packet of
	// its own of at least 66 bytes with Ethernet's header and timestamps.
	need := v.rate / float64(2*v.mss*8) * ackSize * 8
	share := need / (back * wirePerGoodput)
	if share < thinShare {
		return nil
	}
	if _, others, known := v.wait(); known && v.rate < v.capacity/2 && others > v.loaded.Mid-v.idle.Mid {
		return nil // the queue that the stream met may be its own
	}
	return &finding.Finding{
		Cause:      finding.AckLimited,
		Confidence: 0.75 + 0.2*clamp(share-thinShare, 0, 1),
		Severity:   v.shortfall(),
		Summary: fmt.Sprintf("The way back carries %s, and the acknowledgements of %s want %s of it: they queue there, and the sender waits for them. One stream gets %s of %s.",
			rate(back), rate(v.rate), percent(min(share, 1)), rate(v.rate), rate(v.capacity)),
		Evidence: []finding.Evidence{
			{What: "one stream carries", Value: v.rate, Unit: finding.BitRate},
			{What: "the path carries this way", Value: v.capacity, Unit: finding.BitRate},
			{What: "the way back carries", Value: back, Unit: finding.BitRate},
			{What: "acknowledgements at the stream's rate", Value: need, Unit: finding.BitRate, Source: "RFC 5681 §4.2: one for two segments, 66 bytes each on Ethernet"},
			{What: "RTT idle", Value: v.idle.Mid, Unit: finding.Seconds},
			{What: "RTT under this one-way load", Value: v.loaded.Mid, Unit: finding.Seconds},
			{What: "retransmits", Value: float64(v.losses.Resent), Unit: finding.Count},
		},
		Remedies: []finding.Remedy{
			finding.Remedy{
				What:  "On the router that feeds the thin way back, let cake thin out acknowledgements, which only repeat each other while they queue (DEV is its device towards the slow link).",
				Where: finding.Network,
			}.By(finding.FilterACKs(0.95 * back * wirePerGoodput)),
			{
				What:  "A faster way back. The sender's congestion control and buffers do not help here.",
				Where: finding.Network,
			},
		},
	}
}

// acksFillBack says that acknowledgements of every segment at the stream's rate
// would fill the way back: a receiver sends so many while segments are missing
// (RFC 5681 §4.2), each with a SACK block.
func (v *view) acksFillBack() bool {
	back := newCeiling(v.run, v.dir.Opposite())
	if back <= 0 || v.losses.steady == 0 {
		return false
	}
	return v.rate/float64(v.mss)*(ackSize+sackSize) >= back*wirePerGoodput
}

const (
	// sackSize is the size of a SACK option with one block in bytes (RFC 2018 §3),
	// padded.
	sackSize = 12
	// ackSize is the size of an acknowledgement on the wire in bytes: 14 of
	// Ethernet, 20 of IPv4, 20 of TCP, 12 of timestamps.
	ackSize = 66
)

// newCeiling is the most that was seen to come through a direction; 0 where it
// was not measured.
func newCeiling(r *record.Run, d record.Direction) float64 {
	if v := newView(r, d); v != nil {
		return v.capacity
	}
	return 0
}
