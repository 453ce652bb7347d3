// Package lately keeps what a connection did over the last 30 s in little
// memory, and says it as the figures of a live.Flow. It is pure: the looks come
// from elsewhere, and so does the time.
//
// A connection with nothing under way and no segment of data in either direction
// since the look before is idle: keepalives do not count. One that was idle for
// the whole window, or since it was first seen, keeps no history, and a look at
// it costs a comparison.
package lately

import (
	"time"

	"unchoke/internal/flow"
	"unchoke/tcpinfo"
)

// Window is how far back "lately" reaches, in ms.
const Window = 30_000

// Look is one look at a connection.
type Look struct {
	At   time.Duration // by a clock of the caller's that does not go back
	Info *tcpinfo.Info
	// Queued is how much of the send buffer is taken, SendBuffer its size, both
	// as the kernel counts memory (SK_MEMINFO_WMEM_QUEUED, SK_MEMINFO_SNDBUF); 0
	// where it does not tell.
	Queued, SendBuffer uint32
}

// Account is one connection's.
type Account struct {
	first, before, now counters // the first look's (or the connection's beginning), the one before's, the last one's
	history            *marks   // nil while there is none to keep
	lately             summary  // of the history

	segsIn, segsOut uint32 // of data, at the last look
	opening         uint32 // retransmits without data: of the handshake
	underWay        bool   // at the last look: data not acknowledged, or not sent
	whole           bool   // first is the connection's beginning
	idle            bool   // nothing has happened for the window, or since the first look
	begun           uint32 // ms: the first look's time, or the latest time the connection can have begun at
	moved           uint32 // ms: when something was last delivered, or nothing was under way
	counted         uint32 // ms: of the stall that goes on
	active          uint32 // ms: when something last happened
}

// Begin opens the account of a connection that existed before it was watched:
// figures count from this look on.
func Begin(l Look) Account {
	var a Account
	at := milliseconds(l.At)
	a.opens(l.Info)
	a.first.read(at, l.Info, a.opening)
	a.first.rtt = microseconds(l.Info.RTT)
	a.before, a.now = a.first, a.first
	a.begun, a.moved, a.active = at, at, at
	a.remember(l.Info)
	a.idle = !a.underWay
	return a
}

// BeginWhole opens the account of a connection that began after the time
// before: all counters began with 0. The kernel does not tell when that was; the
// figures take the latest time that it can have been.
func BeginWhole(l Look, before time.Duration) Account {
	at := milliseconds(l.At)
	age := min(milliseconds(leastAge(l.Info)), at-milliseconds(before))
	a := Account{whole: true}
	a.first.at = at - age
	a.now = a.first
	a.begun, a.moved, a.active = a.first.at, a.first.at, at
	a.Add(l)
	a.before = counters{at: milliseconds(before)} // rates are of the whole interval
	return a
}

// leastAge is how old a connection is at least: when it is opened, the kernel
// sets the times of what it last sent and received to then.
func leastAge(i *tcpinfo.Info) time.Duration {
	return max(i.LastDataSent, i.LastDataRecv, i.LastAckRecv, i.BusyTime)
}

// Age is the time from the first look, or from the connection's beginning where
// it was seen, to the last look.
func (a *Account) Age() time.Duration {
	return time.Duration(a.now.at-a.begun) * time.Millisecond
}

// Add takes a look. It returns false where nothing happened since the one
// before, nor for the whole window or since the first look, so that all figures but the times stay.
func (a *Account) Add(l Look) (changed bool) {
	i, at := l.Info, milliseconds(l.At)
	told := i.Has(tcpinfo.FieldDataSegsOut)
	happened := !told || i.DataSegsIn != a.segsIn || i.DataSegsOut != a.segsOut || a.underWay || i.Unacked > 0 || i.NotsentBytes > 0
	if !happened && a.idle {
		a.before = a.now
		a.now.at, a.moved = at, at
		return false
	}
	if a.idle {
		a.wake()
	}
	a.before = a.now
	a.opens(i)
	a.now.read(at, i, a.opening)
	a.look(l)
	a.stall(i)
	a.remember(i)
	if happened {
		a.active = at
	}
	a.keep()
	return true
}

// opens notes what was resent before any data was: tcpi_total_retrans counts a SYN,
// tcpi_data_segs_out does not. Kernels before 4.19 tell it only before the first data.
func (a *Account) opens(i *tcpinfo.Info) {
	if i.BytesRetrans == 0 && i.Has(tcpinfo.FieldBytesRetrans) || i.DataSegsOut == 0 && i.Has(tcpinfo.FieldDataSegsOut) {
		a.opening = i.TotalRetrans
	}
}

// wake begins the history: since the first look, or for the whole window,
// nothing happened.
func (a *Account) wake() {
	a.idle = false
	if a.now.at-a.first.at > Window {
		a.first = a.now
		a.first.at -= Window
	}
	a.history = &marks{}
	a.history.push(&a.first)
	a.history.push(&a.now)
}

// remember keeps what the next look is compared with.
func (a *Account) remember(i *tcpinfo.Info) {
	a.segsIn, a.segsOut = i.DataSegsIn, i.DataSegsOut
	a.underWay = i.Unacked > 0 || i.NotsentBytes > 0
}

// leastSamples is how many segments of data a sender must have sent for its
// tcpi_rttvar to count: it begins with half of the first round trip, and each
// further one takes away a quarter of that (tcp_rtt_estimator), so that after 16
// less than a hundredth is left.
const leastSamples = 16

// look counts what this look shows of a sender.
func (a *Account) look(l Look) {
	i, now, since := l.Info, &a.now, a.since()
	now.rtt = microseconds(roundTrip(i, now.segments-since.segments, now.received-since.received > now.acked-since.acked))
	windowFull, starved := flow.Look(i)
	if i.Unacked > 0 {
		now.busyLooks++
		switch {
		case windowFull:
			now.windowFull++
		case starved && full(l.Queued, l.SendBuffer):
			now.starvedFull++
		case starved:
			now.starved++
		}
	}
	if now.acked != a.before.acked && i.DataSegsOut >= leastSamples {
		now.jitterLooks++
		now.jitter += microseconds(i.RTTVar)
	}
	if now.resent != a.before.resent {
		now.bouts++
		now.boutRTT += microseconds(i.RTT)
	}
}

// full says that the send buffer has no room: the kernel wakes a program that
// waits for room only when a third is free (sk_stream_is_writeable).
func full(queued, size uint32) bool { return size > 0 && uint64(queued)*3 >= uint64(size)*2 }

// Dry says that a sender has sent all that its program gave it, though it may send
// more and its buffer would take more.
func Dry(l Look) bool {
	i := l.Info
	if i.Unacked == 0 {
		return i.NotsentBytes == 0
	}
	_, starved := flow.Look(i)
	return starved && !full(l.Queued, l.SendBuffer)
}

// stall adds up the times in which data was under way and none was delivered,
// as flow.Stalls does.
func (a *Account) stall(i *tcpinfo.Info) {
	gap := a.now.at - a.moved
	delivered := a.now.acked != a.before.acked
	begins := a.counted == 0 && delivered // since the last look: when is not known, and no stall by itself
	if a.underWay && !begins && float64(gap) > 1000*flow.LeastStall(i.RTT.Seconds()) {
		a.now.stalled += gap - a.counted
		a.counted = gap
	}
	if delivered || i.Unacked == 0 && i.NotsentBytes == 0 {
		a.moved, a.counted = a.now.at, 0
	}
}

// keep puts the look into the history, or lets the history go.
func (a *Account) keep() {
	if a.now.at-a.active >= Window {
		a.history, a.idle = nil, true
		a.lately = summary{rtt: a.now.rtt}
		return
	}
	if a.history == nil {
		if a.now.at-a.first.at < markEvery-slack {
			return
		}
		a.history = &marks{begun: a.whole}
		a.history.push(&a.first)
	}
	if a.history.push(&a.now) {
		a.lately = a.history.summary()
	}
	a.history.slide(a.now.at)
}

// since is the beginning of what "lately" means now.
func (a *Account) since() *counters {
	switch {
	case a.idle:
		return &a.now
	case a.history != nil:
		return &a.history.at[0]
	}
	return &a.first
}
