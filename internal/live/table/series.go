package table

import (
	"container/list"
	"time"

	"unchoke/internal/live"
)

// Point is what a chart shows of a flow at one time.
type Point struct {
	at             int64   // ns since 1970
	Sent, Received float32 // bit/s
	RTT, Jitter    float32 // s
	Cwnd           uint32  // segments
	Retransmits    uint32  // segments since the point before
	Limits         Limits
}

// Time is when it was.
func (p Point) Time() time.Time { return time.Unix(0, p.at) }

// Limits are live.Limits in 255ths.
type Limits struct{ App, ReceiveWindow, SendBuffer, Network uint8 }

// Shares are the limits as shares of the time.
func (l Limits) Shares() live.Limits {
	share := func(v uint8) float64 { return float64(v) / 255 }
	return live.Limits{App: share(l.App), ReceiveWindow: share(l.ReceiveWindow), SendBuffer: share(l.SendBuffer), Network: share(l.Network)}
}

func inShort(l live.Limits) Limits {
	part := func(v float64) uint8 { return uint8(min(max(v, 0), 1)*255 + 0.5) }
	return Limits{part(l.App), part(l.ReceiveWindow), part(l.SendBuffer), part(l.Network)}
}

// Series is the history of a flow: a point for each look at which something
// moved, and one after that which shows that nothing did.
type Series struct {
	id     string
	points []Point // a ring once it is full
	first  int     // of the ring
	most   int

	retransmits uint64 // at the newest point
	moving      bool
	look        int           // of the Keeper, at which it moved last
	place       *list.Element // in Keeper.moved
}

func (h *Series) add(at time.Time, f *live.Flow) {
	p := Point{
		at: at.UnixNano(), Sent: float32(f.SentRate), Received: float32(f.ReceivedRate), RTT: float32(f.RTT), Jitter: float32(f.Jitter),
		Cwnd: f.Cwnd, Limits: inShort(f.Limits),
	}
	if f.Retransmits > h.retransmits {
		p.Retransmits = uint32(min(f.Retransmits-h.retransmits, 1<<32-1))
	}
	h.retransmits = f.Retransmits
	if len(h.points) < h.most {
		h.points = append(h.points, p)
		return
	}
	h.points[h.first] = p
	h.first = (h.first + 1) % len(h.points)
}

// Len is how many points there are.
func (h *Series) Len() int {
	if h == nil {
		return 0
	}
	return len(h.points)
}

// At is the point of an index, 0 the oldest.
func (h *Series) At(i int) Point { return h.points[(h.first+i)%len(h.points)] }

// Points are all, the oldest first; none of no series.
func (h *Series) Points() []Point {
	out := make([]Point, h.Len())
	for i := range out {
		out[i] = h.At(i)
	}
	return out
}
