package seen

import (
	"math"

	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// Turns are what UDP and TCP did in turns at one rate.
type Turns struct {
	Rate   float64           // that both were offered, bit/s
	TCP    record.BesideTest // the last of TCP's turns
	UDP    Proportion        // lost of all UDP tests
	Ends   float64           // the most that arrived of UDP, bit/s
	Least  int64             // the fewest packets that a UDP test lost
	lasted float64           // the longest of the UDP tests, seconds
	Free   float64           // what one TCP stream carried without a bound, 0 where none ran
	Freed  Proportion        // what that stream lost
	Untold bool              // nobody knows what it lost
	Freely float64           // for how long it ran, seconds
	Asked  int               // how often UDP took its turn
	// Perhaps is true where another host than the target may have answered: the peer of a
	// tunnel, behind which the target may be. What its turns prove holds of the way there,
	// which the target's packets take too; what one stream carries there proves nothing.
	Perhaps bool
}

// WorseForUDP finds a network that treats UDP worse than TCP: before and after a TCP
// stream at a rate, UDP at the same rate loses what the stream does not. Where no time
// was left for the second time, what UDP lost in the tunnel counts for it.
func WorseForUDP(r *record.Run, d record.Direction, outside bool) (Turns, bool) {
	t, beside := Turns{}, r.BesideIn(d, outside)
	if beside == nil {
		return t, false
	}
	t.Perhaps = outside && r.Route.Tunnel.Target == record.PerhapsBehind
	tcpTests, most := 0, int64(0)
	for _, x := range beside.Tests {
		switch {
		case x.Protocol == record.TCP && x.Offered == 0:
			t.Free, t.Freed, t.Freely = x.Delivered, Proportion{K: max(x.Lost, 0), N: x.Packets}, x.Duration
			t.Untold = x.Lost < 0
		case x.Protocol == record.TCP:
			t.TCP, t.Rate = x, x.Offered
			tcpTests++
		default:
			if t.Asked == 0 || x.Lost < t.Least {
				t.Least = x.Lost
			}
			most = max(most, x.Lost)
			t.UDP.Add(x.Lost, x.Packets)
			t.Ends, t.lasted = max(t.Ends, x.Delivered), max(t.lasted, x.Duration)
			t.Asked++
		}
	}
	lost := Proportion{K: t.TCP.Lost, N: t.TCP.Packets}
	// One TCP stream before it, TCP's turn after it.
	between := t.Asked == 1 && t.Free >= t.Rate && (t.Capped() || outside && lostInside(r, d, t.Rate).Low() > lost.High())
	if tcpTests == 0 || t.Asked < 2 && !between || t.Least < LeastLost || t.TCP.Lost < 0 {
		return t, false // not in turns, or not each time
	}
	carried := t.TCP.Delivered >= carriedShare*t.Rate
	if t.Capped() {
		carried = t.TCP.Delivered > endsBelow*t.Ends || t.TCP.Delivered > carriedAll*t.Rate || t.outran(r, d, outside)
	}
	if !t.Capped() && t.Free >= t.Rate {
		// At its own speed, which is higher, it lost no more: where its turn ended before
		// it was up to speed, or tells too little alone of losses that come steadily.
		both := lost
		both.Add(t.Freed.K, t.Freed.N)
		if steady := 2*t.Least >= most; !carried || steady && both.High() < lost.High() {
			lost, carried = both, true
		}
	}
	return t, carried && t.UDP.Low() > lost.High()
}

// lostInside is what UDP in the tunnel lost of all that was sent no faster than a rate,
// and clearly slower than what came through at all.
func lostInside(r *record.Run, d record.Direction, rate float64) (lost Proportion) {
	inside := func(t record.Transfer) bool {
		return t.Direction == d && t.Protocol == record.UDP && t.UDP != nil
	}
	most := 0.0
	for _, t := range r.Transfers {
		if inside(t) {
			most = max(most, clearlyBelow*t.UDP.Delivered)
		}
	}
	for _, t := range r.Transfers {
		if inside(t) && t.UDP.Sent <= min(rate, most) {
			lost.Add(t.UDP.Lost, t.UDP.Packets)
		}
	}
	return lost
}

// clearlyBelow what came through is a rate that no bottleneck made short of.
const clearlyBelow = 0.8

// LostLikewise is what UDP lost outside the tunnel, sent evenly at a rate at which TCP
// lost at least half as much in its turn: the path's loss, whatever is sent. So large a share
// that UDP ends at a rate is none.
func LostLikewise(r *record.Run, d record.Direction) (lost Proportion) {
	b := r.BesideIn(d, true)
	if b == nil {
		return Proportion{}
	}
	var tcp Proportion
	for _, x := range b.Tests {
		switch {
		case x.Protocol != record.TCP:
			lost.Add(x.Lost, x.Packets)
		case x.Offered > 0 && x.Lost >= 0:
			tcp.Add(x.Lost, x.Packets)
		}
	}
	if lost.N == 0 || tcp.N == 0 || 2*tcp.Mean() < lost.Mean() || lost.Mean() > cappedLoss {
		return Proportion{}
	}
	return lost
}

// Capped says that UDP ends at a rate; else a part of it is lost at any.
func (t Turns) Capped() bool { return t.UDP.Mean() > cappedLoss }

// outran says that the free TCP stream had more beyond the rate at which UDP ends than UDP
// was sent beyond it, most of which was lost: no queue that takes so much in for TCP
// would have dropped that. A bucket that was full would, so that TCP's own turn, which
// packets that overtake may slow down, must have had some more than UDP as well. Where
// that ended in its slow start, the stream in the tunnel, to which the bucket would have
// been as full, must never have had more.
func (t Turns) outran(r *record.Run, d record.Direction, outside bool) bool {
	more := (t.Free-t.Ends)*t.Freely > (t.Rate-t.Ends)*t.lasted
	if t.Free < t.Rate || !more {
		return false
	}
	return t.TCP.Delivered > someMore*t.Ends || outside && t.endedInSlowStart(r) && neverHadMore(OneStream(r, d), t.Ends)
}

// endedInSlowStart says that TCP's turn was too short to have left it.
func (t Turns) endedInSlowStart(r *record.Run) bool {
	started := t.TCP.Duration >= slowStarts*stats.Median(RTTs(r.Echo("idle"), 0, math.Inf(1)))
	return !started // nor is it known to have where no echo probe was answered
}

// slowStarts are the round trips in which ten segments become 2,560 (RFC 6928).
const slowStarts = 8

// neverHadMore says that a stream had no more than a rate in any quarter of its time.
func neverHadMore(t *record.Transfer, rate float64) bool {
	const quarters = 4
	for i := range quarters {
		if t == nil || t.Goodput(float64(i)/quarters, float64(i+1)/quarters) > rate {
			return false
		}
	}
	return true
}

// someMore is more than what headers and the ends of a test make of one rate.
const someMore = 1.1

// carriedAll is the share of the rate offered with which TCP's turn carried all of it,
// but for its start: UDP that lost as much as makes it capped had less.
const carriedAll = 0.95

// LeastLost packets are more than chance.
const LeastLost = 3

// CarriedOutside says that anything came through outside the tunnel: where nothing
// did, as where large packets vanish there, nothing is known of it.
func CarriedOutside(b *record.Beside) bool {
	if b != nil {
		for _, t := range b.Tests {
			if t.Delivered > 0 {
				return true
			}
		}
	}
	return false
}

// LostOf is the share of a test's packets that were lost.
func LostOf(x record.BesideTest) float64 { return Proportion{K: x.Lost, N: x.Packets}.Mean() }
