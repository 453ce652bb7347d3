package view

import (
	"math"
	"slices"

	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/record"
)

// GrowsBack says that a stream which speeds up does so after an outage, while the
// kernel's own account has it held by a buffer for most of the time: it would be
// past that buffer's window if it could.
func (v *View) GrowsBack(share float64) bool {
	return !v.Limits.Inferred && share > 0.5 && len(v.Out.All) > 0
}

// ReachesBuffers says that what the path has under way, at its rate and its round
// trip under load, is about what the smaller of both hosts' buffers holds. Of a
// host that did not tell it is Linux's default (tcp_init): 4 MiB to send, 6 MiB to
// receive. About half of either is payload (tcp_win_from_space, skb->truesize).
func (v *View) ReachesBuffers() bool {
	const mib = 1 << 20
	most := min(bufferMost(v.Run.Sender(v.Dir), usualSendBuffer, true), bufferMost(v.Run.Receiver(v.Dir), 6*mib, false))
	return v.Capacity/8*max(v.Idle.Mid, v.Loaded.Mid) >= nearBuffers*most/2
}

// BufferRate is the rate in bit/s at which a stream has as much under way, on the idle
// path, as a host's buffer holds once it has grown as far as that host lets it: the
// sender's for SendBuffer, the receiver's for ReceiveWindow. known is false where the
// host did not tell.
func (v *View) BufferRate(cause finding.Cause) (rate float64, known bool) {
	window := bufferMost(v.Run.Receiver(v.Dir), 0, false) / 2
	switch {
	case cause == finding.SendBuffer:
		window = bufferMost(v.Run.Sender(v.Dir), 0, true) / 2
	case v.Unscaled():
		window = flow.UnscaledWindow
	}
	if window <= 0 || v.Idle.Mid <= 0 {
		return 0, false
	}
	return 8 * window / v.Idle.Mid, true
}

// AnnouncedRate is the rate in bit/s of the receive window that was announced, on the idle
// path, where it has stopped growing. A kernel that tunes its buffer announces twice what a
// round trip brings (tcp_rcv_space_adjust): a window that stays below is as large as it gets.
func (v *View) AnnouncedRate() (rate float64, known bool) {
	l := v.Limits
	if v.Growing || v.Idle.Mid <= 0 || l.Advertised <= 0 || l.Advertised >= tuned*l.InFlight {
		return 0, false
	}
	return 8 * l.Advertised / v.Idle.Mid, true
}

// tuned of what is under way is announced at the least by a receiver that can announce more.
// Of 36 kept directions with less, and without others' queue, 32 are slow for it, or
// would be but for another cause.
const tuned = 1.7

// Unscaled says that the one stream has no window scaling, so that its receiver announces
// no more than flow.UnscaledWindow bytes.
func (v *View) Unscaled() bool { return slices.ContainsFunc(v.One.Series, flow.Unscaled) }

// bufferMost is how large a host lets a socket's buffer grow, in bytes.
func bufferMost(h *record.Host, usual float64, sends bool) float64 {
	switch {
	case h == nil:
		return usual
	case sends && h.TCPWmem[2] > 0:
		return float64(h.TCPWmem[2])
	case !sends && h.MostReceive() > 0:
		return float64(h.MostReceive())
	}
	return usual
}

// BufferFor is the buffer in bytes that the path wants.
func (v *View) BufferFor() int64 { return finding.BufferFor(int64(v.BDP())) }

// FillsWindow says, of a stream that is all that was measured of its direction, that
// it has the whole receive window under way and meets nothing of the path: it loses
// nothing, fills no queue and speeds up no more. A window that grows with the stream
// is twice what is under way.
func (v *View) FillsWindow() bool {
	l := v.Limits
	return v.Alone() && v.Losses.Resent == 0 && !v.Queued() && !v.Growing &&
		l.ReceiveWindow >= LimitShare && l.Advertised > 0 && l.InFlight >= windowWhole*l.Advertised
}

// ClosedByGaps says that the receiver's window, once larger than the path needs, had
// closed when the stream ended: what its start overflowed the queue with is missing, and
// what came behind that fills the buffer until it is repaired.
func (v *View) ClosedByGaps() bool {
	l := v.Limits
	return l.Offered > v.BDP() && l.Advertised < closedTo*v.BDP() && l.ReceiveWindow > 0.5 && v.Losses.Real > 0
}

// closedTo is less of a bandwidth-delay product than any buffer leaves that is merely
// too small: 64 KiB at 100 Mbit/s and 200 ms.
const closedTo = 0.03

// HeldByWindow says that a window or a buffer held the stream for nearly all of its
// time, and that it lost nothing. Whoever else is there takes nothing from it then,
// unless their queue makes the round trip longer by a third, and with it the time that a
// window takes.
func (v *View) HeldByWindow() bool {
	held := max(v.Limits.ReceiveWindow, v.Limits.SendBuffer) >= heldShare
	least := min(v.Idle.Low, v.LeastSeen())
	return held && v.Losses.Resent == 0 && max(v.Loaded.Mid, v.Idle.Mid) < GainMatters*least
}

// FillsSendBuffer says, of a stream that is all that was measured of its direction,
// that it meets nothing of the path: it loses nothing, fills no queue and speeds up no
// more, and that its kernel counts most of the time as its buffer's. Where the kernel
// does not tell, what is under way must be what Linux's default buffer holds, or remain
// as much though packets come much faster and nobody else's queue makes them wait.
func (v *View) FillsSendBuffer() bool {
	if !v.Alone() || v.Losses.Resent != 0 || v.Queued() || v.Growing || v.Limits.SendBuffer <= 0.5 {
		return false
	}
	held := v.Rate / 8 * v.Idle.Mid
	if !v.Limits.Inferred || math.Abs(held-usualSendBuffer/2) < aboutUsual*usualSendBuffer/2 {
		return true
	}
	_, busy := v.Others()
	return !busy && v.levelBelowTrains()
}

const (
	// usualSendBuffer is Linux's default of tcp_wmem's third value in bytes (tcp_init),
	// of which about half is payload.
	usualSendBuffer = 4 << 20
	// aboutUsual: two such streams by satellite had 0.97 and 1.01 of that half.
	aboutUsual = 0.1
)
