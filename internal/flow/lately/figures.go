package lately

import (
	"time"

	"unchoke/internal/flow"
	"unchoke/internal/live"
	"unchoke/tcpinfo"
)

// Figures fills in what the account and the last look's TCP_INFO tell: all
// figures but its age, its ends, its owner and what SKMEMINFO tells.
func (a *Account) Figures(f *live.Flow, i *tcpinfo.Info) {
	now, since := &a.now, a.since()
	segments, acked, received := now.segments-since.segments, now.acked-since.acked, now.received-since.received
	a.Rates(f, i)
	f.Sent, f.Received = i.BytesAcked, i.BytesReceived

	f.RTT, f.RTTVar = seconds(now.rtt), i.RTTVar.Seconds()
	f.MinRTT = f.RTT
	if i.MinRTT > 0 && i.MinRTT < tcpinfo.NoMinRTT {
		f.MinRTT = i.MinRTT.Seconds()
	}
	f.RTTLately = f.RTT
	if a.lately.rtt > 0 {
		f.RTTLately = seconds(a.lately.rtt)
	}
	f.Jitter, f.JitterRatio = a.jitter(f.RTTLately, received > acked && segments < leastOfReceiver)
	a.means(f)
	f.RateCV, f.RateLevel, f.Growth = a.lately.variation, a.lately.level, a.lately.growth

	losses := flow.Losses{Segments: int64(segments), Resent: int64(now.resent - since.resent), Spurious: int64(now.spurious - since.spurious)}
	f.RetransmitRatio, f.SpuriousRatio = min(losses.AllRatio(), 1), losses.SpuriousRatio()
	f.Retransmits, f.Segments, f.Spurious = uint64(now.resent), uint64(i.DataSegsOut), uint64(i.DSACKDups)
	f.Reordered, f.OutOfOrder = uint64(i.ReordSeen), uint64(i.RcvOOOPack)
	f.Timeouts = int64(flow.Timeouts(tcpinfo.Info{}, *i))
	f.SegmentsLately, f.ReorderLately = uint64(segments), uint64(now.reordered-since.reordered)
	f.MarkedRatio = 0
	if segments > 0 {
		f.MarkedRatio = float64(now.marked-since.marked) / float64(segments)
	}
	f.TimeoutsLately = -1
	if f.Timeouts >= 0 {
		f.TimeoutsLately = int64(now.timeouts - since.timeouts)
	}
	f.RTTAtLoss = 0
	if n := now.bouts - since.bouts; n > 0 {
		f.RTTAtLoss = seconds(now.boutRTT-since.boutRTT) / float64(n)
	}
	f.Stalled, f.Standing = a.Stalled()
	f.Lossy = int(now.bouts - since.bouts)
	f.Busy, f.WindowLimited, f.BufferLimited = i.BusyTime.Seconds(), i.RwndLimited.Seconds(), i.SndbufLimited.Seconds()
	f.Limits = a.Limits()
	state(f, i)
	f.PeakDelivery = max(f.PeakDelivery, f.DeliveryRate)
}

// Stalled is for how many seconds data was under way and nothing was delivered, lately,
// and how many of them are of the stall that goes on. What lies between two looks only
// is in neither.
func (a *Account) Stalled() (lately, now float64) {
	return float64(a.now.stalled-a.since().stalled) / 1000, float64(a.counted) / 1000
}

// Rates fills in the rates of the last interval and since when nothing moved.
func (a *Account) Rates(f *live.Flow, i *tcpinfo.Info) {
	f.SentRate, f.ReceivedRate = 0, 0
	if elapsed := float64(a.now.at-a.before.at) / 1000; elapsed > 0 {
		f.SentRate = float64(a.now.acked-a.before.acked) * 8 / elapsed
		f.ReceivedRate = float64(a.now.received-a.before.received) * 8 / elapsed
	}
	f.Idle = min(i.LastDataSent, i.LastDataRecv).Seconds()
}

// state fills in what is so now.
func state(f *live.Flow, i *tcpinfo.Info) {
	f.Cwnd, f.Ssthresh = i.SndCwnd, i.SndSsthresh
	if i.SndSsthresh >= tcpinfo.InfiniteSsthresh {
		f.Ssthresh = 0
	}
	f.SegmentSize, f.PMTU = i.SndMSS, i.PMTU
	f.Unacked, f.UnackedBytes, f.NotSent = i.Unacked, 0, i.NotsentBytes
	if over := i.BytesRetrans + i.BytesAcked; i.Has(tcpinfo.FieldBytesRetrans) && i.BytesSent > over {
		f.UnackedBytes = i.BytesSent - over
	}
	f.SendWindow, f.RecvWindow, f.RecvShut = i.SndWnd, i.RcvWnd, i.RcvWnd == 0 && i.Has(tcpinfo.FieldRcvWnd)
	f.NoSACK = flow.Lacks(i, tcpinfo.OptSACK)
	f.PacingRate, f.MaxPacing, f.DeliveryRate = tcpinfo.Finite(i.PacingRate), tcpinfo.Finite(i.MaxPacingRate), tcpinfo.Finite(i.DeliveryRate)
}

// leastLately is how many segments of data a connection must have sent lately
// for its own smoothed RTT to be of now: each sample has a weight of an eighth
// (RFC 6298).
const leastLately = 8

// roundTrip is the smoothed RTT, or the receiver's own estimate where this end
// received and sent too little for the former to be of now.
func roundTrip(i *tcpinfo.Info, segments uint32, receives bool) time.Duration {
	if receives && segments < leastLately && i.RcvRTT > 0 {
		return i.RcvRTT
	}
	return i.RTT
}

// leastOfReceiver is how many segments of data a connection that mostly
// receives must have sent lately for its tcpi_rttvar to be of now.
const leastOfReceiver = 30

// jitter is flow.Jitter of tcpi_rttvar over the looks that found something newly
// acknowledged, lately, and its ratio to the RTT; 0 where this end sends too
// little for an estimate.
func (a *Account) jitter(rtt float64, stale bool) (jitter, ratio float64) {
	since := a.since()
	n := a.now.jitterLooks - since.jitterLooks
	if n == 0 || rtt == 0 || stale {
		return 0, 0
	}
	jitter = flow.Jitter([]float64{seconds(a.now.jitter-since.jitter) / float64(n)})
	return jitter, jitter / rtt
}

func seconds(µs uint32) float64 { return float64(µs) / 1e6 }

// means fills in the mean rates lately, and the peak: of the history, or of a connection
// younger than that since it began.
func (a *Account) means(f *live.Flow) {
	f.SentLately, f.ReceivedLately, f.PeakRate = a.lately.sent, a.lately.received, a.lately.peak
	elapsed := float64(a.now.at-a.first.at) / 1000
	if a.history != nil || a.idle || elapsed == 0 {
		return
	}
	f.SentLately = float64(a.now.acked-a.first.acked) * 8 / elapsed
	f.ReceivedLately = float64(a.now.received-a.first.received) * 8 / elapsed
	f.PeakRate = max(f.SentLately, f.ReceivedLately)
}

// Limits says what held this end back as a sender; all is 0 where it never sent.
func (a *Account) Limits() live.Limits {
	if a.segsOut == 0 {
		return live.Limits{}
	}
	now, since := &a.now, a.since()
	elapsed := now.at - since.at
	if elapsed == 0 || a.idle {
		return live.Limits{App: 1}
	}
	share := func(ms uint32) float64 { return min(float64(ms)/float64(elapsed), 1) }
	s := flow.Shares{
		Busy: share(now.busy - since.busy), ReceiveWindow: share(now.window - since.window), SendBuffer: share(now.buffer - since.buffer),
	}
	var bufferFull float64 // of the starved looks
	if looks := now.busyLooks - since.busyLooks; looks > 0 {
		of := func(n uint16) float64 { return float64(n) / float64(looks) }
		full, starved := of(now.starvedFull-since.starvedFull), of(now.starved-since.starved)
		s.WindowFull, s.Starved = of(now.windowFull-since.windowFull)*s.Busy, (full+starved)*s.Busy
		if full > 0 {
			bufferFull = full / (full + starved)
		}
	}
	l := s.Limits()
	return live.Limits{
		App: min(l.App+(1-bufferFull)*l.Starved, 1), ReceiveWindow: l.ReceiveWindow,
		SendBuffer: min(l.SendBuffer+bufferFull*l.Starved, 1), Network: l.Network,
	}
}
