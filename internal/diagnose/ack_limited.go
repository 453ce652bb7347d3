package diagnose

import (
	"fmt"
	"slices"

	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/path"
	"unchoke/internal/record"
	"unchoke/internal/stats"
	"unchoke/tcpinfo"
)

// ackLimited: the way back is too thin for the acknowledgements.
func ackLimited(v *view) *finding.Finding {
	back, found := v.acksQueue()
	switch {
	case !found:
		return nil
	case !v.slow():
		return v.ofFullBack(back)
	}
	return v.ofAcks(back, 0.75+0.2*stats.Clamp(back.share-thinShare, 0, 1))
}

// ofAcks is the finding that acknowledgements queue on the way back.
func (v *view) ofAcks(back wayBack, confidence float64) *finding.Finding {
	carries := back.way.capacity
	return &finding.Finding{
		Cause:      finding.AckLimited,
		Confidence: confidence,
		Severity:   v.shortfall(),
		Summary: fmt.Sprintf("The way back carries %s, and the acknowledgements of %s want %s of it: they queue there, and the sender waits for them. One stream gets %s of %s.",
			rate(carries), rate(v.rate), percent(min(back.share, 1)), rate(v.rate), rate(v.capacity)),
		Evidence: []finding.Evidence{
			{What: "one stream carries", Value: v.rate, Unit: finding.BitRate},
			{What: "the path carries this way", Value: v.capacity, Unit: finding.BitRate},
			{What: "the way back carries", Value: carries, Unit: finding.BitRate},
			{What: "acknowledgements at the stream's rate", Value: back.need, Unit: finding.BitRate, Source: "RFC 5681 §4.2: one for two segments, 66 bytes each on Ethernet, and a tunnel's headers"},
			{What: "RTT idle", Value: v.idle.Mid, Unit: finding.Seconds},
			{What: "RTT under this one-way load", Value: v.loaded.Mid, Unit: finding.Seconds},
			{What: "retransmits", Value: float64(v.losses.Resent), Unit: finding.Count},
		},
		Remedies: backRemedies(carries * wirePerGoodput),
	}
}

// backRemedies are those of a way back that carries so many bit/s, all headers included.
func backRemedies(carries float64) []finding.Remedy {
	return []finding.Remedy{
		finding.Remedy{
			What:  "On the router that feeds the thin way back, let cake thin out acknowledgements, which only repeat each other while they queue (DEV is its device towards the slow link).",
			Where: finding.Network,
		}.By(finding.FilterACKs(0.95 * carries)),
		{
			What:  "A faster way back. The sender's congestion control and buffers do not help here.",
			Where: finding.Network,
		},
	}
}

// ofFullBack is the finding where nothing was tried that is faster than what the
// acknowledgements let pass: how fast the path is, nobody knows.
func (v *view) ofFullBack(back wayBack) *finding.Finding {
	sent, carries := v.sentBack(), back.most()
	waits := "the sender waits for them"
	if v.waitsBack(back.way) {
		waits = fmt.Sprintf("they queue there for %s, as long as what this way back is overloaded with waits, and %s", duration(v.loaded.Mid-v.idle.Mid), waits)
	}
	return &finding.Finding{
		Cause:      finding.AckLimited,
		Confidence: fullBackConfidence,
		Severity:   0.5,
		Summary: fmt.Sprintf("While the stream comes one way, %s go back, most of it acknowledgements, and the way back carries %s: %s. One stream gets %s.",
			rate(sent), rate(carries), waits, rate(v.rate)),
		Evidence: []finding.Evidence{
			{What: "one stream carries", Value: v.rate, Unit: finding.BitRate},
			{What: "the way back carries, with all headers", Value: carries, Unit: finding.BitRate},
			{What: "the receiver sent meanwhile", Value: sent, Unit: finding.BitRate},
			{What: "acknowledgements at the stream's rate", Value: back.need, Unit: finding.BitRate, Source: "RFC 5681 §4.2: one for two segments"},
			{What: "RTT idle", Value: v.idle.Mid, Unit: finding.Seconds},
			{What: "RTT under this one-way load", Value: v.loaded.Mid, Unit: finding.Seconds},
			{What: "RTT under load the other way", Value: back.way.loaded.Mid, Unit: finding.Seconds},
		},
		Remedies: backRemedies(carries),
	}
}

// fullBackConfidence: a queue this way that is as long by chance looks the same.
const fullBackConfidence = 0.7

// wayBack is the other direction, as the stream's acknowledgements find it.
type wayBack struct {
	way   *view   // never nil
	need  float64 // what they take of it, bit/s with all headers
	share float64 // of what it carries
}

// most is the most that the way back was seen to carry, in bit/s with all headers.
func (b wayBack) most() float64 { return max(b.way.onWire(b.way.capacity), b.way.busyLine()) }

// back is the way of the stream's acknowledgements, where it was measured.
func (v *view) back() (b wayBack, measured bool) {
	way := newView(v.run, v.dir.Opposite())
	if way == nil {
		return wayBack{}, false
	}
	need := v.acks()
	return wayBack{way, need, need / way.onWire(way.capacity)}, true
}

// acksQueue says that acknowledgements queue on the way back, which is too thin for
// them, and that the sender waits for them. Where the stream has all that was tried,
// nothing was tried that is faster than what they let pass.
func (v *view) acksQueue() (b wayBack, found bool) {
	b, measured := v.back()
	switch {
	case !measured || b.way.capacity <= 0, !v.queued() && !v.fillsBack(b.way):
		return b, false
	case !v.slow():
		return b, !v.triedFaster() && v.fillsBack(b.way)
	case b.share < thinShare:
		return b, false
	}
	_, others, known := v.wait()
	own := b.share < fullShare && known && v.rate < v.capacity/2 && others > v.loaded.Mid-v.idle.Mid
	return b, !own // the queue that the stream met may be its own
}

// acksMayQueue says that a queue stands in which acknowledgements may wait: they take
// a good part of the way back.
func (v *view) acksMayQueue() (b wayBack, found bool) {
	b, measured := v.back()
	return b, measured && v.queued() && b.need >= thinShare/2*b.way.onWire(b.way.capacity)
}

// fillsBack says that what the receiver sends while the stream runs fills the way
// back: it is nearly all of what that carries at the most, or a good part of it, and
// the round trip rises as it does when the way back is overloaded.
func (v *view) fillsBack(way *view) bool {
	sent, back := v.sentBack(), way.onWire(way.capacity)
	_, known := way.ceiling()
	if busy := way.busyLine(); busy > 0 && len(way.rungs) == 0 {
		back, known = busy, true
	}
	return known && sent > fullShare*back || sent > filledBack*back && v.waitsBack(way)
}

// triedFaster says that UDP was offered faster than the stream came.
func (v *view) triedFaster() bool {
	return slices.ContainsFunc(v.rungs, func(g rung) bool { return g.sent > v.rate })
}

// busyLine is what the line carries this way, in bit/s with all headers, where the
// stream kept its queue from ever running empty: all that came of the stream, in
// order or not, and the echo probes beside it. 0 where that is not known.
func (v *view) busyLine() float64 {
	e := v.run.Echo(v.one.Name)
	s, told := flow.Sending(v.one)
	if e == nil || !told || v.floor < busyFloor*v.idle.Mid {
		return 0
	}
	last := flow.Final(s)
	if !last.Info.Has(tcpinfo.FieldDelivered) {
		return 0
	}
	came := float64(last.Info.Delivered) * float64(v.mss*8) / last.At
	return v.onWire(came) + float64(len(e.Probes)*echoSize*8)/v.one.Duration
}

// waitsBack says that the round trip rises beside the stream as it does when the way
// back is overloaded.
func (v *view) waitsBack(way *view) bool {
	rise, full := v.loaded.Mid-v.idle.Mid, way.loaded.Mid-way.idle.Mid
	return rise > shallowQueue*full && rise < full/shallowQueue && full > v.idle.Mid
}

// sentBack is what the receiving host sent on the stream's way while it ran, in
// bit/s, with all headers: acknowledgements, echo probes and what else there was.
// 0 where that host did not tell.
func (v *view) sentBack() float64 {
	e, ok := v.at(opposite(v.sender()))
	if !ok || e.route == nil || v.one.Duration <= 0 {
		return 0
	}
	device := e.route.Device
	if u := e.route.Tunnel.Underlay; u != nil {
		device = u.Device
	}
	sent := int64(0)
	for _, q := range e.one.Egress {
		if q.Root && q.Device == device {
			sent = max(sent, q.Bytes)
		}
	}
	return float64(8*sent) / v.one.Duration
}

func opposite(host string) string {
	if host == "near" {
		return "far"
	}
	return "near"
}

// acks is what the acknowledgements of the stream take of the way back, in bit/s
// with all headers. Linux acknowledges every second segment (RFC 5681 §4.2), in a
// packet of its own.
func (v *view) acks() float64 {
	return v.rate / float64(2*v.mss) * (ackSize + v.tunnelHeaders())
}

// onWire is what a goodput in bit/s takes of this direction, with all headers.
func (v *view) onWire(goodput float64) float64 {
	return goodput * (1 + (ackSize+v.tunnelHeaders())/float64(max(v.mss, 1)))
}

// tunnelHeaders is what the tunnel adds to a packet, in bytes, over IPv4:
// WireGuard 20 of IPv4, 8 of UDP, 32 of its own; GRE 24; over IPv6 with its
// limit of encapsulations (RFC 2473 §4.1.1) 52. 0 where that is not known.
func (v *view) tunnelHeaders() float64 {
	switch path.Tunnel(v.run.Route.Tunnel.Kind) {
	case path.WireGuard, "tailscale", "netbird":
		return 60
	case path.GRE:
		return 24
	case path.IP6GRE:
		return 52
	}
	return 0
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
	// busyFloor: the least RTT is so many times the idle one.
	busyFloor = 2
	// echoSize is that of an echo probe in bytes: 14 of Ethernet, 20 of IPv4, 8 of
	// ICMP, 8 of its own.
	echoSize = 50
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
