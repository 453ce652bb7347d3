package iperf3

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"unchoke/iperf3/internal/datagram"
	"unchoke/iperf3/internal/link"
	"unchoke/iperf3/internal/pace"
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

func (f *flow) sendTCP(t *traffic) error {
	data, block := payload(), t.test.Length
	var pacer *pace.Pacer
	var rest *link.Sleeper
	if t.test.Rate > 0 {
		block = min(block, max(minPacedWrite, int(t.test.Rate/8/pacedWrites)))
		pacer = pace.New(t.test.Rate, block)
		pacer.Limit(1)
		rest = link.NewPreciseSleeper()
		defer rest.Close()
	}
	for {
		now := t.now()
		patience := t.patience(now)
		if patience <= 0 {
			return nil
		}
		if pacer != nil {
			if n, wake := pacer.Due(now); n == 0 {
				rest.Sleep(min(wake-now, patience))
				continue
			}
		}
		room := t.reserve(block)
		if room == 0 {
			return nil
		}
		n, err := f.tcp.Send(data[:room], patience)
		f.bytes.Add(int64(n))
		t.settle(room, n)
		if pacer != nil {
			pacer.Sent(float64(n) / float64(block))
		}
		if err != nil {
			return err
		}
	}
}

// A TCP sender with a rate writes about this often in a second, and no less
// than this many bytes.
const (
	pacedWrites   = 200
	minPacedWrite = 1400
)

func (f *flow) receiveTCP(t *traffic) error {
	var tuned time.Duration
	var tunedBytes int64
	for {
		n, err := f.tcp.Receive()
		if n > 0 && !t.over() {
			f.bytes.Add(int64(n))
			t.count(n)
		}
		if err != nil {
			return err
		}
		if n == 0 {
			continue
		}
		total := f.bytes.Load()
		if total-tunedBytes < tuneBytes {
			continue
		}
		if now := t.now(); now-tuned >= tuneEvery {
			rate := (total - tunedBytes) * int64(time.Second) / int64(now-tuned)
			f.tcp.Tune(rate * int64(t.test.Streams))
			tuned, tunedBytes = now, total
		}
	}
}

// A receiver is tuned no more often than this, in bytes and in time.
const (
	tuneBytes = 256 << 10
	tuneEvery = 100 * time.Millisecond
)

func (f *flow) sendUDP(t *traffic) error {
	size, wide := t.test.Length, t.test.Counters64
	batch := f.udp.MaxBatch(size)
	from, to, rate := t.test.slot(f.turn)
	if !t.await(from) {
		return nil
	}
	var pacer *pace.Pacer
	var rest *link.Sleeper
	if rate > 0 {
		pacer = pace.New(rate, size)
		pacer.StartAt(from)
		batch = pacer.Limit(batch)
		rest = link.NewPreciseSleeper()
	} else {
		rest = link.NewSleeper()
	}
	defer rest.Close()
	buf := make([]byte, batch*size)
	for at := 0; at < len(buf); {
		at += copy(buf[at:], payload())
	}
	seq := uint64(1)
	for {
		now := t.now()
		patience := min(t.patience(now), to-now)
		if patience <= 0 {
			break
		}
		n := batch
		if pacer != nil {
			var wake time.Duration
			if n, wake = pacer.Due(now); n == 0 {
				rest.Sleep(min(wake-now, patience))
				continue
			}
		}
		room := t.reserve(n * size)
		if room < size {
			t.settle(room, 0)
			break
		}
		n = room / size
		for i := range n {
			datagram.Header{Sent: t.senderClock(now), Seq: seq + uint64(i)}.Put(buf[i*size:], wide)
		}
		took, err := f.udp.Send(buf[:n*size], n)
		t.settle(room, took*size)
		seq += uint64(took)
		f.bytes.Add(int64(took * size))
		f.packets.Add(int64(took))
		f.sent.add(took, size, now)
		if pacer != nil {
			pacer.Sent(float64(took))
			f.sent.Skipped = pacer.Skipped()
		}
		switch {
		case errors.Is(err, link.ErrFull):
			f.sent.Blocked++
		case errors.Is(err, link.ErrDropped):
			f.sent.Refused++
			if pacer != nil {
				pacer.Sent(1) // its time has passed
			} else {
				rest.Sleep(time.Millisecond) // the queue below is full: let it drain
			}
		case err != nil:
			return err
		}
	}
	return nil
}

func (s *Sent) add(n, size int, now time.Duration) {
	if n == 0 {
		return
	}
	if s.Packets == 0 {
		s.First = now
	}
	s.Last = now
	s.Packets += int64(n)
	s.Bytes += int64(n * size)
}

func (f *flow) receiveUDP(t *traffic) error {
	wide := t.test.Counters64
	got := func(p []byte, size int, arrived time.Time) {
		if t.over() {
			return
		}
		h, ok := datagram.ParseHeader(p, wide)
		if !ok {
			f.seq.Malformed++
			return
		}
		at := arrived.Sub(t.start)
		if !f.seq.Add(h, size, at) {
			return
		}
		f.bytes.Add(int64(size))
		t.count(size)
		if len(f.trace) < t.test.Trace {
			f.trace = append(f.trace, Packet{Seq: h.Seq, Sent: h.Sent, Arrived: at})
		}
	}
	for {
		if err := f.udp.Receive(func(p []byte, size int, arrived time.Time) {
			f.mu.Lock()
			got(p, size, arrived)
			f.mu.Unlock()
		}); err != nil {
			return err
		}
	}
}

// sample reads the flow's state.
func (f *flow) sample(at time.Duration) Sample {
	s := Sample{At: at, Bytes: f.bytes.Load()}
	if f.tcp == nil {
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
