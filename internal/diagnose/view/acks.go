package view

import (
	"slices"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/flow"
	"unchoke/internal/path"
	"unchoke/internal/wire"
	"unchoke/tcpinfo"
)

// WayBack is the other direction, as the stream's acknowledgements find it.
type WayBack struct {
	Way   *View   // never nil
	Need  float64 // what they take of it, bit/s with all headers
	Share float64 // of what it carries
}

// Carries is what came through the way back at the most, in bit/s with all headers.
func (b WayBack) Carries() float64 { return b.Way.OnWire(b.Way.Capacity) }

// Most is the most that the way back was seen to carry: more than that where the stream
// kept the line busy.
func (b WayBack) Most() float64 { return max(b.Carries(), b.Way.busyLine()) }

// filled says that something was seen to fill the path this way: what it carries is
// known, and not only what was sent.
func (v *View) filled() bool {
	_, overloaded := v.Ceiling()
	return overloaded || v.Queued() // by its one stream
}

// back is the way of the stream's acknowledgements, where it was measured.
func (v *View) back() (b WayBack, measured bool) {
	way := Of(v.Run, v.Dir.Opposite())
	if way == nil {
		return WayBack{}, false
	}
	b = WayBack{Way: way, Need: v.acks()}
	b.Share = b.Need / b.Carries()
	return b, true
}

// AcksQueue says that acknowledgements queue on the way back, which is too thin for
// them, and that the sender waits for them. Where the stream has all that was tried,
// nothing was tried that is faster than what they let pass.
func (v *View) AcksQueue() (b WayBack, found bool) {
	b, measured := v.back()
	switch {
	case measured && v.Alone() && b.Way.Capacity > 0 && b.Way.Limits.Network >= LimitShare && b.Share >= overfull:
		return b, true // a receiver that saves acknowledgements saves some
	case !measured || b.Way.Capacity <= 0, !v.Queued() && !v.fillsBack(b.Way) && !v.acksHoldAll(b):
		return b, false
	case !v.Slow():
		return b, !v.triedFaster() && v.fillsBack(b.Way)
	case v.Eight != nil && v.Eight.SteadyRate > acksPass*v.Rate:
		return b, false
	case !b.Way.filled(), b.Share < ThinShare && !(b.Share >= ThinShare/2 && v.waitsElsewhere()):
		return b, false
	}
	_, others, known := v.Wait()
	own := b.Share < fullShare && known && v.Losses.Resent > 0 && v.Rate < v.Capacity/2 && others > v.Loaded.Mid-v.Idle.Mid
	return b, !own // the queue that the stream met may be its own: one that lost nothing has none
}

// acksPass is how many times one stream's rate eight streams carry where their
// acknowledgements get through: of 31 kept directions, the slow ones for a thin way back
// had 1.2 of it at the most but for one that had 2.1, and one slow for bursts of loss 3.2.
const acksPass = 2.6

// TooThinFor says that the acknowledgements of a stream at a rate in bit/s would take
// clearly more of the way back than it carries: so many bit/s, with all headers.
func (v *View) TooThinFor(rate float64) (b WayBack, need float64, found bool) {
	b, measured := v.back()
	if !measured || v.Rate <= 0 || b.Way.Capacity <= 0 || !b.Way.filled() && b.Way.Limits.Network < LimitShare {
		return b, 0, false
	}
	more := rate / v.Rate
	return b, b.Need * more, b.Share*more >= overfull
}

// overfull is of the way back's rate what acknowledgements of every second segment take.
// Receivers send fewer (GRO), and queues drop some, for which others make up: no kept
// stream that wants 1.24 of it or less is known to be slower for that.
const overfull = 1.4

// acksHoldAll says that acknowledgements want a good share of the way back, and that
// eight streams, of which nothing is lost, carry little more than one: they share what
// holds them, and a buffer is each one's own. Behind cake the echo probes do not wait
// among the acknowledgements.
func (v *View) acksHoldAll(b WayBack) bool {
	lossless := v.Losses.Resent == 0 && v.Eight != nil && v.Eight.Retransmits == 0
	return lossless && b.Share >= ThinShare && v.Eight.SteadyRate < crowdedAlike*v.Rate
}

// waitsElsewhere says that the round trip beside the stream rises by clearly more than
// the full queue of its own direction makes packets wait, which this host timed.
func (v *View) waitsElsewhere() bool {
	most, timed := 0.0, false
	for _, r := range v.Overloads() {
		if r.Timed {
			most, timed = max(most, r.OwnMost), true
		}
	}
	return timed && clearlyLonger(v.Loaded.Mid-v.Idle.Mid, most)
}

// AcksMayQueue says that a queue stands in which acknowledgements may wait: they take
// a good part of the way back.
func (v *View) AcksMayQueue() (b WayBack, found bool) {
	b, measured := v.back()
	return b, measured && v.Queued() && b.Need >= ThinShare/2*b.Carries()
}

// fillsBack says that what the receiver sends while the stream runs fills the way
// back: it is nearly all of what that carries at the most, or a good part of it, and
// the round trip rises as it does when the way back is overloaded.
func (v *View) fillsBack(way *View) bool {
	sent, back, known := v.SentBack(), way.OnWire(way.Capacity), way.filled()
	if busy := way.busyLine(); busy > 0 && len(way.Rungs) == 0 {
		back, known = busy, true
	}
	return known && sent > fullShare*back || sent > filledBack*back && v.WaitsBack(way)
}

// triedFaster says that UDP was offered faster than the stream came.
func (v *View) triedFaster() bool {
	return slices.ContainsFunc(v.Rungs, func(g seen.Rung) bool { return g.Sent > v.Rate })
}

// busyLine is what the line carries this way, in bit/s with all headers, where the
// stream kept its queue from ever running empty: all that came of the stream, in
// order or not, and the echo probes that came beside it. 0 where that is not known.
func (v *View) busyLine() float64 {
	e := v.Run.Echo(v.One.Name)
	s, told := flow.Sending(v.One)
	if e == nil || !told || v.floor < busyFloor*v.Idle.Mid {
		return 0
	}
	last := flow.Final(s)
	if !last.Info.Has(tcpinfo.FieldDelivered) {
		return 0
	}
	came := float64(last.Info.Delivered) * float64(v.MSS*8) / last.At
	return v.OnWire(came) + float64(len(seen.Answered(e))*wire.Echo*8)/v.One.Duration
}

// busyFloor: the least RTT is so many times the idle one.
const busyFloor = 2

// WaitsBack says that the round trip rises beside the stream as it does when the way
// back is overloaded.
func (v *View) WaitsBack(way *View) bool {
	rise, full := v.Loaded.Mid-v.Idle.Mid, way.Loaded.Mid-way.Idle.Mid
	return rise > ShallowQueue*full && rise < full/ShallowQueue && full > v.Idle.Mid
}

// SentBack is what the receiving host sent on the stream's way while it ran, in
// bit/s, with all headers: acknowledgements, echo probes and what else there was.
// 0 where that host did not tell.
func (v *View) SentBack() float64 {
	e, ok := v.At(v.Receiver())
	if !ok || e.Route == nil || v.One.Duration <= 0 {
		return 0
	}
	device := e.Route.Device
	if u := e.Route.Tunnel.Underlay; u != nil {
		device = u.Device
	}
	sent := int64(0)
	for _, q := range e.One.Egress {
		if q.Root && q.Device == device {
			sent = max(sent, q.Bytes)
		}
	}
	return float64(8*sent) / v.One.Duration
}

// acks is what the acknowledgements of the stream take of the way back, in bit/s
// with all headers. Linux acknowledges every second segment (RFC 5681 §4.2), in a
// packet of its own.
func (v *View) acks() float64 {
	return v.ackLoad(2, 0)
}

// ackLoad is what acknowledgements take, one for so many segments, each with so many bytes
// of options besides the usual ones, in bit/s with all headers.
func (v *View) ackLoad(segments int, options float64) float64 {
	return v.Rate / float64(segments*v.MSS) * (wire.ACK + options + v.tunnelHeaders())
}

// OnWire is what a goodput in bit/s takes of this direction, with all headers.
func (v *View) OnWire(goodput float64) float64 {
	return goodput * (1 + (wire.ACK+v.tunnelHeaders())/float64(max(v.MSS, 1)))
}

// tunnelHeaders is what the tunnel adds to a packet, in bytes, over IPv4; 0 where that is
// not known.
func (v *View) tunnelHeaders() float64 {
	kind := path.Tunnel(v.Run.Route.Tunnel.Kind)
	if kind == "tailscale" || kind == "netbird" {
		kind = path.WireGuard // that is how they carry packets
	}
	return float64(kind.Headers())
}

// acksFillBack says that acknowledgements of every segment at the stream's rate
// would fill the way back: a receiver sends so many while segments are missing
// (RFC 5681 §4.2), each with a SACK block.
func (v *View) acksFillBack() bool {
	b, measured := v.back()
	return measured && b.Way.Capacity > 0 && v.Losses.Steady > 0 && v.ackLoad(1, wire.SACK) >= b.Carries()
}

// acksWant says that acknowledgements take enough of the way back to stand in a
// queue of their own there.
func (v *View) acksWant() bool {
	b, measured := v.back()
	return !measured || b.Way.Capacity <= 0 || b.Share >= ThinShare/2
}
