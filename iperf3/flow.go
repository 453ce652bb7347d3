package iperf3

import (
	"sync"
	"sync/atomic"
	"time"

	"unchoke/iperf3/internal/datagram"
	"unchoke/iperf3/internal/link"
	"unchoke/tcpinfo"
)

// A flow is one data connection of a running test, on either side. One
// goroutine, its worker, moves the data.
type flow struct {
	id      int
	turn    int // among the streams of its direction, from 0
	sending bool
	tcp     link.TCP // exactly one of the two is set
	udp     link.UDP

	bytes   atomic.Int64 // payload handed to or taken from the system
	packets atomic.Int64 // UDP, sending: handed to the system

	mu    sync.Mutex
	seq   datagram.Sequence // UDP, receiving
	trace []Packet          // UDP, receiving
	sent  Sent              // UDP, sending; of the worker's until it has ended

	// Of the goroutine that runs the test.
	samples    []Sample
	watched    []Sample // of a server that watches its own sockets
	begin, end mark
	baseline   uint64 // bytes_received before the test began: the cookie
}

// A mark is a flow's counters at one moment: at the end of the omitted part
// and at the end of the test.
type mark struct {
	at      time.Duration
	bytes   int64
	info    tcpinfo.Info
	seq     datagram.Sequence
	packets int64
}

func (f *flow) interrupt() {
	if f.tcp != nil {
		f.tcp.Interrupt()
	} else {
		f.udp.Interrupt()
	}
}

func (f *flow) close() error {
	if f.tcp != nil {
		return f.tcp.Close()
	}
	return f.udp.Close()
}

// work moves data until the traffic is stopped (a sender) or the link is
// interrupted (a receiver, which goes on draining so that the peer is never
// stuck in a write).
func (f *flow) work(t *traffic) error {
	switch {
	case f.tcp != nil && f.sending:
		return f.sendTCP(t)
	case f.tcp != nil:
		return f.receiveTCP(t)
	case f.sending:
		return f.sendUDP(t)
	default:
		return f.receiveUDP(t)
	}
}

// sample reads the flow's state.
func (f *flow) sample(at time.Duration) Sample {
	s := Sample{At: at, Bytes: f.bytes.Load()}
	if f.tcp == nil {
		if !f.sending {
			f.mu.Lock()
			s.Bytes, s.Arrived, s.Lost, s.Reordered = f.seq.Bytes, f.seq.Arrived(), f.seq.Lost(), f.seq.Reordered
			f.mu.Unlock()
		}
		return s
	}
	info, err := f.tcp.Info()
	if err != nil {
		return s // no TCP_INFO here, or the connection is gone
	}
	s.Info = info
	if !f.sending && info.Has(tcpinfo.FieldBytesReceived) {
		// What the kernel has received, of which the worker is a little behind.
		s.Bytes = int64(info.BytesReceived - f.baseline)
	}
	return s
}

func (f *flow) mark(s Sample) mark {
	m := mark{at: s.At, bytes: s.Bytes, info: s.Info}
	if f.udp != nil && !f.sending {
		f.mu.Lock()
		m.seq = f.seq
		f.mu.Unlock()
		m.bytes = m.seq.Bytes
	}
	if f.udp != nil && f.sending {
		m.packets = f.packets.Load()
	}
	return m
}
