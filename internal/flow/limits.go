package flow

import (
	"math"

	"unchoke/internal/record"
	"unchoke/internal/stats"
	"unchoke/tcpinfo"
)

// Limits says what held a sender back, each as a share of the time. They need
// not add up to 1.
type Limits struct {
	Network       float64 // the congestion window
	ReceiveWindow float64
	SendBuffer    float64 // its socket buffer was full, and all of it under way
	App           float64 // the program offered no more
	// Starved is the time in which the sender had nothing to send although
	// both windows had room, and nothing tells whether a full buffer or an
	// idle program was the reason.
	Starved float64
}

// LimitsOf reads what limited a sender over a span.
//
// The kernel accounts for it: tcpi_busy_time is the time with data
// outstanding, of which tcpi_rwnd_limited and tcpi_sndbuf_limited are named and
// the rest is the congestion window's. That account leaves out a buffer that is
// drained and refilled in bursts: a burst that fills the congestion window for
// a moment makes it count the whole round trip as the network's. So the samples
// are looked at as well. In one that has less than a segment left to send and
// room in both windows, the sender was starved, which a full buffer and a
// program that offers no more both cause. What tells them apart is how much the
// buffer held at that time, against buffer, the most that it may hold in bytes:
// tcp_wmem's third value, or SO_SNDBUF where the program set it. The time is the
// buffer's where it was full, and the program's where it was not and the kernel
// set tcpi_delivery_rate_app_limited. Where buffer is 0 (unknown), it stays
// Starved.
func LimitsOf(s record.Series, in Span, buffer int64) Limits {
	var l Limits
	first, last, ok := ends(s, in)
	if !ok {
		first, last = record.Sample{}, *orZero(Final(s))
	}
	elapsed := last.At - first.At
	if !s.Sender || elapsed <= 0 || !Accounts(s) {
		return l
	}
	share := func(seconds float64) float64 { return min(max(seconds/elapsed, 0), 1) }
	seen := look(s, in)
	l = Shares{
		Busy:          share((last.Info.BusyTime - first.Info.BusyTime).Seconds()),
		ReceiveWindow: share((last.Info.RwndLimited - first.Info.RwndLimited).Seconds()),
		SendBuffer:    share((last.Info.SndbufLimited - first.Info.SndbufLimited).Seconds()),
		WindowFull:    seen.window, Starved: seen.starved,
	}.Limits()
	switch {
	case buffer > 0 && seen.held >= bufferFull*float64(buffer):
		l.SendBuffer, l.Starved = l.SendBuffer+l.Starved, 0
	case buffer > 0 && seen.appLimited > 0:
		l.App, l.Starved = min(l.App+l.Starved, 1), 0
	}
	return l
}

// Shares is what the kernel's account and looks at a sender give, each as a
// share of the time.
type Shares struct {
	// The kernel's: Busy includes the other two.
	Busy, ReceiveWindow, SendBuffer float64
	// Of the looks: those that found the peer's window full, and those that found
	// the sender starved (see Look).
	WindowFull, Starved float64
}

// Limits puts them together. Whose the time is in which the sender was starved
// they do not tell.
func (s Shares) Limits() Limits {
	l := Limits{ReceiveWindow: max(s.WindowFull, s.ReceiveWindow), SendBuffer: s.SendBuffer, App: 1 - s.Busy}
	l.Starved = max(s.Starved-l.SendBuffer, 0)
	l.Network = max(s.Busy-l.ReceiveWindow-l.SendBuffer-l.Starved, 0)
	return l
}

// Look says what one look at a sender shows: that the peer's window was full,
// or that the sender was starved, with less than a segment left to send and room
// in both windows.
func Look(i *tcpinfo.Info) (windowFull, starved bool) {
	windowFull = i.SndWnd > 0 && i.Unacked*i.SndMSS+i.SndMSS > i.SndWnd
	starved = !windowFull && tells(i, tcpinfo.FieldNotsentBytes) && i.NotsentBytes < i.SndMSS && float64(i.Unacked) < 0.9*float64(i.SndCwnd)
	return windowFull, starved
}

// tells says whether a sender's system tells a field, or, of Linux, whose oldest kernels
// lack some, one for which zero stands in.
func tells(i *tcpinfo.Info, f tcpinfo.Field) bool { return i.System == tcpinfo.Linux || i.Has(f) }

// Accounts says whether a sender's system accounts for what limits it. macOS does
// not, nor does Windows before TCP_INFO_v1, nor Linux before 4.10: LimitsOf knows nothing
// there.
func Accounts(s record.Series) bool { return orZero(Final(s)).Info.Has(tcpinfo.FieldBusyTime) }

// bufferFull is the least payload that a full buffer holds, as a share of its
// size. A program that waits for room is woken when a third of it is free
// (sk_stream_is_writeable), so that it is never less than two thirds full, and
// of a segment's memory (skb->truesize) at least 0.41 is payload: 536 bytes
// (RFC 9293 §3.7.1) beside 768 of bookkeeping. In the lab a full buffer held
// 0.6 to 1 of its size.
const bufferFull = 2.0 / 3 * 0.41

// looked is what the samples of a span show, as shares of them.
type looked struct {
	window     float64 // the peer's window was full
	starved    float64 // less than a segment left to send, and room in the congestion window
	appLimited float64 // tcpi_delivery_rate_app_limited
	held       float64 // payload in the socket buffer while starved, the median, in bytes
}

func look(s record.Series, in Span) looked {
	var l looked
	var n float64
	var held []float64
	for _, x := range s.Samples {
		i := x.Info
		if x.At < in.From || x.At >= in.To || i.SndMSS == 0 {
			continue
		}
		n++
		windowFull, starved := Look(&i)
		if windowFull {
			l.window++
		}
		if starved {
			l.starved++
			held = append(held, float64(i.Unacked)*float64(i.SndMSS)+float64(i.NotsentBytes))
		}
		if i.AppLimited {
			l.appLimited++
		}
	}
	l.held = SpreadOf(held).Mid
	n = max(n, 1)
	l.window, l.starved, l.appLimited = l.window/n, l.starved/n, l.appLimited/n
	return l
}

func orZero(x *record.Sample) *record.Sample {
	if x == nil {
		return &record.Sample{}
	}
	return x
}

// mostWindow is the largest receive window that a connection's header has room for, in
// bytes: 16 bits, shifted by what the handshake agreed on (RFC 7323 §2.2). Linux counts
// more in tcpi_rcv_wnd where its buffer has grown beyond that.
func mostWindow(i *tcpinfo.Info) float64 {
	if !i.Has(tcpinfo.FieldWindowScale) {
		return math.Inf(1)
	}
	return float64(uint64(UnscaledWindow) << i.RcvWscale)
}

// UnscaledWindow is the largest window in bytes that a header has room for by itself.
const UnscaledWindow = 0xffff

// Unscaled says that a connection was opened without window scaling: neither end can
// announce more than 64 KiB (RFC 7323 §2). One of the hosts has it off, or something
// between them takes the option away.
func Unscaled(s record.Series) bool { return openedWithout(s, tcpinfo.OptWscale) }

// openedWithout says that a connection was opened without an option: one of the hosts
// has it off, or something between them takes it away.
func openedWithout(s record.Series, option tcpinfo.Options) bool {
	last := Final(s)
	return last != nil && Lacks(&last.Info, option)
}

// Lacks says that a connection was opened without an option.
func Lacks(i *tcpinfo.Info, option tcpinfo.Options) bool {
	return i.Has(tcpinfo.FieldOptions) && i.Options&option == 0
}

// Window is the receive window that this end offers in bytes; 0 where its system does not
// tell. Linux before 6.2 tells the threshold that it lets the window grow to
// (__tcp_select_window), which is about the same (TestWindowsOfOldKernels).
func Window(i *tcpinfo.Info) float64 {
	if i.RcvWnd > 0 || i.Has(tcpinfo.FieldRcvWnd) {
		return float64(i.RcvWnd)
	}
	return float64(i.RcvSsthresh)
}

// Advertised is the median receive window that this end offered over a span,
// in bytes, where the series is a receiver's, and the last that it was offered
// where it is a sender's; 0 where the kernel does not tell.
func Advertised(s record.Series, in Span) float64 {
	if s.Sender {
		return float64(orZero(Final(s)).Info.SndWnd)
	}
	var out []float64
	for _, x := range s.Samples {
		if w := Window(&x.Info); x.At >= in.From && x.At < in.To && w > 0 {
			out = append(out, min(w, mostWindow(&x.Info)))
		}
	}
	if len(out) == 0 {
		return 0
	}
	return stats.Quantile(out, 0.5)
}
