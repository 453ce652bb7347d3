package iperf3

import (
	"errors"
	"time"

	"unchoke/iperf3/internal/datagram"
	"unchoke/iperf3/internal/link"
	"unchoke/iperf3/internal/pace"
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
			if !datagram.IsHello(p) && !datagram.IsReply(p) { // of an opening that was repeated
				f.seq.Malformed++
			}
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
