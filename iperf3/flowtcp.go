package iperf3

import (
	"time"

	"unchoke/iperf3/internal/link"
	"unchoke/iperf3/internal/pace"
)

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
		if err == nil && t.over() {
			return f.brake(n, t.now())
		}
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

// brake goes on receiving once the test is over, at a quarter of the rate that it had:
// where acknowledgements fill a thin way back, the word that the test is over is lost
// among them time and again. A peer that does not look up before a write has ended must
// be able to end it. n bytes came last.
func (f *flow) brake(n int, took time.Duration) error {
	f.tcp.Narrow()
	rate := max(float64(f.bytes.Load())/took.Seconds()/brakeTo, leastDrained)
	for {
		time.Sleep(min(time.Duration(float64(n)/rate*float64(time.Second)), link.PollEvery))
		var err error
		if n, err = f.tcp.Receive(); err != nil {
			return err
		}
	}
}

const (
	brakeTo = 4
	// leastDrained is in bytes/s: a block of iperf3's in a second.
	leastDrained = 128 << 10
)

// A receiver is tuned no more often than this, in bytes and in time.
const (
	tuneBytes = 256 << 10
	tuneEvery = 100 * time.Millisecond
)
