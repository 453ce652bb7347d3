package lately

import (
	"time"

	"unchoke/tcpinfo"
)

// counters are sums since a connection or its watching began, as of one look.
// What lies between two looks is their difference; all but the bytes may wrap.
// One has 88 bytes, so that ten thousand busy connections fit into memory.
type counters struct {
	acked, received uint64 // bytes

	at  uint32 // ms, by the looks' clock
	rtt uint32 // µs, at this look

	// The kernel's.
	segments, resent, spurious, reordered uint32
	marked                                uint32 // segments that arrived with a congestion mark, as the peer tells (ECN)
	busy, window, buffer                  uint32 // ms
	timeouts                              uint16

	// Made of the looks.
	busyLooks   uint16 // with data under way; the next three are of them
	windowFull  uint16
	starved     uint16 // with room in the send buffer
	starvedFull uint16 // with a full one
	jitterLooks uint16 // that found something newly acknowledged
	jitter      uint32 // µs: the sum of tcpi_rttvar over them
	bouts       uint16 // looks with new retransmits
	boutRTT     uint32 // µs: the sum of the RTT over them
	stalled     uint32 // ms
}

func milliseconds(d time.Duration) uint32 { return uint32(d / time.Millisecond) }

func microseconds(d time.Duration) uint32 { return uint32(d / time.Microsecond) }

// read takes the kernel's counters. So many retransmits were no data's.
func (c *counters) read(at uint32, i *tcpinfo.Info, opening uint32) {
	c.at = at
	c.acked, c.received = i.BytesAcked, i.BytesReceived
	c.segments, c.resent, c.spurious, c.reordered = i.DataSegsOut, i.TotalRetrans-opening, i.DSACKDups, i.ReordSeen
	c.marked = i.DeliveredCE
	c.busy, c.window, c.buffer = milliseconds(i.BusyTime), milliseconds(i.RwndLimited), milliseconds(i.SndbufLimited)
	c.timeouts = i.TotalRTO
}

// marks keep the counters of some moments, at least markEvery apart, the newest
// last.
type marks struct {
	n     int
	begun bool // the first is the connection's beginning
	at    [Window/markEvery + 2]counters
}

const markEvery = 1000 // ms

// slack is how much earlier a mark may come: looks are never exactly as far
// apart as was asked.
const slack = markEvery / 10

// push keeps the counters of a moment, if the newest mark is old enough.
func (m *marks) push(c *counters) bool {
	if m.n > 0 && c.at-m.at[m.n-1].at < markEvery-slack {
		return false
	}
	// The newest mark that is as old as the window stays: it is the window's
	// beginning.
	drop := 0
	for drop+1 < m.n && c.at-m.at[drop+1].at >= Window {
		drop++
	}
	if m.n-drop == len(m.at) {
		drop++
	}
	if drop > 0 {
		copy(m.at[:], m.at[drop:m.n])
		m.n -= drop
		m.begun = false
	}
	m.at[m.n] = *c
	m.n++
	return true
}

// slide moves the window's beginning forward where nothing happened after it:
// a connection that was idle has marks far apart.
func (m *marks) slide(now uint32) {
	if m.n < 2 || now-m.at[0].at <= Window {
		return
	}
	still := m.at[1]
	still.at = m.at[0].at
	if m.at[0] == still {
		m.at[0].at = min(now-Window, m.at[1].at)
	}
}
