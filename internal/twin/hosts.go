package twin

import (
	"math"
	"time"

	"unchoke/internal/diagnose/hosts"
	"unchoke/internal/flow"
	"unchoke/internal/path"
	"unchoke/internal/record"
	"unchoke/internal/unit"
)

// hosts fits what both ends of a direction make of its TCP. Of a host that told the buffers
// are known; of the other they are the kernel's own unless they held the sender
// back.
func (w *Way) hosts(r *record.Run, d record.Direction) {
	f := w.figures
	w.CC = f.CC
	if w.CC == "" {
		w.CC = cubic // Linux's default
	}
	sender, receiver := r.Sender(d), r.Receiver(d)
	if sender != nil {
		w.SendMax = exactly(float64(sender.TCPWmem[2]))
	}
	if receiver != nil {
		w.ReceiveMax = exactly(float64(receiver.MostReceive()))
	}
	// Of a buffer, Linux counts the bookkeeping as well: a half to all of it is
	// payload (tcp_win_from_space, skb->truesize).
	switch held := 0.3; {
	case sender == nil && f.Limits.SendBuffer > held:
		w.SendMax = Param{1.6 * f.InFlight, f.InFlight, 3.2 * f.InFlight}
	case f.Repairs > held: // what came behind a gap fills the window
	case receiver == nil && f.Limits.ReceiveWindow > held:
		w.ReceiveMax = Param{1.6 * f.InFlight, f.InFlight, 3.2 * f.InFlight}
	}
	w.NoSACK = f.NoSACK
	if f.Unscaled {
		w.ReceiveMax = Param{1.6 * flow.UnscaledWindow, flow.UnscaledWindow, 2 * flow.UnscaledWindow}
	}
}

// scaledMax is the usual third value of tcp_rmem in bytes, which a window has room
// for once it is scaled (tcp_init in net/ipv4/tcp.c).
const scaledMax unit.Size = 6 << 20

// shaper is what the sending host's own egress shapes with, as far as that host told and
// it is the bottleneck, and the most bytes that waited there.
func shaper(r *record.Run, d record.Direction) (kind path.Shaper, backlog float64, found bool) {
	for i := range r.Transfers {
		t := &r.Transfers[i]
		if t.Direction != d {
			continue
		}
		for _, q := range r.SenderQueues(t) {
			if q.Root && limits(t, q) {
				switch q.Kind {
				case "htb", "hfsc":
					kind, found = path.ShapeFQCoDel, true
				case "cake":
					kind, found = path.ShapeCake, true
				case "tbf":
					kind, found = path.ShapeTBF, true
				}
			}
			if q.Root {
				backlog = max(backlog, float64(q.Backlog))
			}
		}
	}
	return kind, backlog, found
}

// limits says that a queue of the sending host is what limits a test: it held the streams
// back, or it held UDP back, of which most arrived that it let out. A flood also fills a
// shaper behind which the path is slower.
func limits(t *record.Transfer, q record.QdiscUse) bool {
	beyond := 0.0
	if t.UDP != nil {
		beyond = float64(t.UDP.Lost - q.Drops)
	}
	return hosts.HeldBack(q) && beyond <= lostBehind*float64(q.Packets)
}

// lostBehind is the share of what left a shaper that random loss may take: a bottleneck
// half as fast takes half.
const lostBehind = 0.25

// heldAtSource is the UDP in bit/s that left a host whose queues were not told of and
// that could send no faster: whatever more was asked of it, the same left, and all of that
// arrived. Its own shaper, or its own link, is the bottleneck; a stream waits there.
func heldAtSource(r *record.Run, d record.Direction) (left float64, found bool) {
	held, least, most := 0, math.Inf(1), 0.0
	for i := range r.Transfers {
		t := &r.Transfers[i]
		if t.Direction != d || t.UDP == nil || t.SenderSide() != nil {
			continue
		}
		if t.UDP.Lost > 0 {
			return 0, false
		}
		if t.UDP.Sent < askedMore*t.UDP.Offered {
			held, least, most = held+1, min(least, t.UDP.Sent), max(most, t.UDP.Sent)
		}
	}
	return least, held >= 2 && most < sameLeft*least // what is more is a burst
}

// Of what was asked of a host, and of what left it when more was asked.
const (
	askedMore = 0.8
	sameLeft  = 1.15
)

// shaped fits the shaper on the sending host. What TCP carries is its rate, or what left it
// while it shaped UDP: what a UDP socket takes need not leave. Where streams are far slower
// than what came of UDP, something else holds them back, and that is the rate.
func (w *Way) shaped(r *record.Run, d record.Direction, frame float64) bool {
	f := w.figures
	left := f.Leaves
	kind, backlog, found := shaper(r, d)
	if !found {
		if left, found = heldAtSource(r, d); !found {
			return false
		}
		kind = path.ShapeFQCoDel // the usual queue of a host
	}
	most := f.Rate
	if f.Eight != nil {
		most = max(most, 0.85*f.Eight.SteadyRate) // of short streams, much still stands in a queue
	}
	if most <= 0 {
		return false // an outage took all of the stream but its start
	}
	if most < heldElsewhere*f.Capacity {
		most = f.Capacity
	}
	most = max(most, left)
	w.Rate = Param{1.04 * most * frame, most * frame, 1.12 * most * frame}
	w.SQM = path.SQM{Shaper: kind}
	if kind == path.ShapeTBF {
		wait := max(backlog*8/(most*frame), 0.005)
		w.SQM.Latency = time.Duration(unit.Significant(wait, 2) * float64(time.Second)).Round(100 * time.Microsecond)
	}
	return true
}

// heldElsewhere is of the path's rate: a stream that meets nothing but a shaper has more.
const heldElsewhere = 0.6
