package diagnose

import (
	"slices"

	"unchoke/internal/record"
	"unchoke/internal/stats"
	"unchoke/internal/theory"
)

// limits says what held the sender back, for what share of the time.
type limits struct {
	network  float64 // the congestion window
	sndbuf   float64 // the send buffer
	rwnd     float64 // the receiver's window
	app      float64 // nothing to send
	inferred bool    // from the receiver's end, where the sender does not tell

	window     float64 // the sender's bytes in flight, rate × RTT
	advertised float64 // the receive window that was offered, 0 where unknown
}

func limitsOf(v *view) limits {
	if x := final(v.one, true); x != nil {
		return senderLimits(v, x)
	}
	return receiverLimits(v)
}

// senderLimits reads the kernel's own account. tcpi_busy_time includes the
// times limited by either buffer; the rest of it is the congestion window's.
func senderLimits(v *view, last *record.Sample) limits {
	l := limits{window: v.rate / 8 * max(v.loaded.mid, v.idle.mid)}
	first := sampleAt(v.one, true, steadyFrom*v.one.Duration)
	elapsed := last.At - first.At
	if first == last || elapsed <= 0 {
		first, elapsed = &record.Sample{}, last.At
	}
	if elapsed <= 0 {
		return l
	}
	share := func(now, then float64) float64 { return clamp((now-then)/elapsed, 0, 1) }
	busy := share(last.Info.BusyTime.Seconds(), first.Info.BusyTime.Seconds())
	rwnd, sndbuf := sampledLimits(v.one)
	l.rwnd = max(rwnd, share(last.Info.RwndLimited.Seconds(), first.Info.RwndLimited.Seconds()))
	l.sndbuf = max(sndbuf, share(last.Info.SndbufLimited.Seconds(), first.Info.SndbufLimited.Seconds()))
	l.network = max(busy-l.rwnd-l.sndbuf, 0)
	l.app = max(1-busy, 0)
	l.advertised = float64(last.Info.SndWnd)
	return l
}

// sampledLimits is the share of the steady stream's samples in which either
// window was full. The kernel's own account leaves out a send buffer that is
// drained and refilled in bursts: a burst that fills the congestion window for
// a moment makes it count the whole round trip as the network's.
func sampledLimits(t *record.Transfer) (rwnd, sndbuf float64) {
	var n float64
	for _, s := range t.Series {
		if !s.Sender {
			continue
		}
		for _, x := range s.Samples {
			i := x.Info
			if x.At < steadyFrom*t.Duration || i.SndMSS == 0 {
				continue
			}
			n++
			switch {
			case i.SndWnd > 0 && i.Unacked*i.SndMSS+i.SndMSS > i.SndWnd:
				rwnd++
			case i.NotsentBytes == 0 && float64(i.Unacked) < 0.9*float64(i.SndCwnd):
				sndbuf++ // room in the congestion window, and nothing left to send
			}
		}
	}
	return rwnd / max(n, 1), sndbuf / max(n, 1)
}

// receiverLimits infers from the receiving end. A sender that neither loses
// nor speeds up any more is held by a window: by the receiver's where the
// bytes in flight fill what was advertised, else by its own send buffer. One
// that loses is held by its congestion window, unless it carries far more than
// that loss would let it.
func receiverLimits(v *view) limits {
	l := limits{inferred: true, window: v.rate / 8 * max(v.loaded.mid, v.idle.mid)}
	l.advertised = advertised(v.one)
	if v.growing {
		l.network = 1
		return l
	}
	byLoss := theory.CubicRate(v.idle.mid, v.losses.allRatio(), v.mss)
	if v.losses.resent != 0 && (byLoss < 3*v.rate || v.cc != "" && !lossBased[v.cc]) {
		l.network = 1
		return l
	}
	if v.queued() {
		l.network = 1
		return l
	}
	if l.advertised > 0 && l.window >= windowFilled*l.advertised {
		l.rwnd = 1
		return l
	}
	l.sndbuf = 1
	return l
}

// windowFilled: a receiver that limits keeps its window nearly full of what is
// in flight; one that does not keeps it at twice that or more, since Linux
// lets the window grow to twice what the application read in the last RTT
// (tcp_rcv_space_adjust). The middle of the two, leaning to the latter since
// rate × RTT does not count what the receiver has not read yet.
const windowFilled = 0.65

// allRatio is the share of segments resent, needed or not: a loss-based sender
// answers to both.
func (l losses) allRatio() float64 {
	if l.segments == 0 || l.resent <= 0 {
		return 0
	}
	return float64(l.resent) / float64(l.segments)
}

// advertised is the median receive window that this host offered, in bytes,
// once the stream ran; 0 where the kernel does not tell.
func advertised(t *record.Transfer) float64 {
	var out []float64
	for _, s := range t.Series {
		if s.Sender {
			continue
		}
		for _, x := range s.Samples {
			if x.At >= steadyFrom*t.Duration && x.Info.RcvWnd > 0 {
				out = append(out, float64(x.Info.RcvWnd))
			}
		}
	}
	if len(out) == 0 {
		return 0
	}
	slices.Sort(out)
	return stats.Quantile(out, 0.5)
}

// sampleAt is the first stream's sample nearest after a time.
func sampleAt(t *record.Transfer, sender bool, at float64) *record.Sample {
	for i := range t.Series {
		if t.Series[i].Sender != sender || len(t.Series[i].Samples) == 0 {
			continue
		}
		s := t.Series[i].Samples
		j := slices.IndexFunc(s, func(x record.Sample) bool { return x.At >= at })
		if j < 0 {
			j = len(s) - 1
		}
		return &s[j]
	}
	return nil
}
