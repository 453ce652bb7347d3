package iperf3

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"unchoke/iperf3/internal/datagram"
	"unchoke/iperf3/internal/link"
	"unchoke/tcpinfo"
)

// payload is what TCP writes and UDP datagrams carry: random, so that nothing
// on the path compresses it. It is made for the first test: a program that
// makes none should not wait for it.
var payload = sync.OnceValue(func() []byte {
	p := make([]byte, maxLength)
	rand.NewChaCha8([32]byte{}).Read(p)
	return p
})

// traffic is the data plane of one test, the same on both sides. It is
// running from start, stopped once stop was called (senders end, receivers
// drain without counting), and closed after close.
type traffic struct {
	test  Test
	flows []*flow
	// deadline ends the senders by themselves; 0 leaves it to stop.
	deadline time.Duration
	// limit ends the test once so many bytes were sent, or received, after the
	// omitted part by all flows together; 0 is no limit.
	limit int64
	// rtt is that of the path, as far as it is known.
	rtt time.Duration

	start    time.Time
	clock0   time.Duration // the sender's clock, as it goes into datagrams, at start
	stopped  atomic.Bool
	omitting atomic.Bool

	reserved       atomic.Int64 // bytes that senders have handed over or are about to
	sent, received atomic.Int64
	full           chan struct{} // closed when the limit is reached
	fill           sync.Once

	failures  chan error // of workers, before the end
	senders   sync.WaitGroup
	receivers sync.WaitGroup
	closing   sync.Once
}

func newTraffic(t Test, flows []*flow) *traffic {
	return &traffic{test: t, flows: flows, full: make(chan struct{})}
}

// run starts the workers.
func (t *traffic) run() {
	t.start = time.Now()
	t.failures = make(chan error, len(t.flows)) // so that no worker waits
	t.omitting.Store(t.test.Omit > 0)
	t.clock0 = datagram.Clock(t.rtt)
	for _, f := range t.flows {
		if !f.sending && f.tcp != nil {
			if info, err := f.tcp.Info(); err == nil && info.Has(tcpinfo.FieldBytesReceived) {
				f.baseline = min(info.BytesReceived, f.baseline)
			}
		}
		done := &t.receivers
		if f.sending {
			done = &t.senders
		}
		done.Go(func() {
			if err := f.work(t); err != nil {
				t.failures <- err
			}
		})
	}
}

func (t *traffic) now() time.Duration { return time.Since(t.start) }

// senderClock is what a datagram sent at the time carries.
func (t *traffic) senderClock(now time.Duration) time.Duration { return t.clock0 + now }

func (t *traffic) over() bool { return t.stopped.Load() }

// patience is how long a sender may wait at the time; not positive means that
// it is to end.
func (t *traffic) patience(now time.Duration) time.Duration {
	switch {
	case t.over():
		return 0
	case t.deadline > 0:
		return min(link.PollEvery, t.deadline-now)
	}
	return link.PollEvery
}

// await waits for a moment of the test and tells whether it came before the
// test was over.
func (t *traffic) await(at time.Duration) bool {
	for {
		now := t.now()
		if now >= at {
			return true
		}
		patience := t.patience(now)
		if patience <= 0 {
			return false
		}
		time.Sleep(min(at-now, patience))
	}
}

// reserve grants a sender up to n bytes of what is left of the limit.
func (t *traffic) reserve(n int) int {
	if t.limit == 0 || t.omitting.Load() {
		return n
	}
	for {
		taken := t.reserved.Load()
		n = int(min(int64(n), t.limit-taken))
		if n <= 0 {
			return 0
		}
		if t.reserved.CompareAndSwap(taken, taken+int64(n)) {
			return n
		}
	}
}

// settle counts what was sent, and gives back what was reserved beyond it.
func (t *traffic) settle(reserved, sent int) {
	if t.limit == 0 || t.omitting.Load() {
		return
	}
	if sent < reserved {
		t.reserved.Add(int64(sent - reserved))
	}
	t.note(&t.sent, sent)
}

// count counts what was received.
func (t *traffic) count(n int) {
	if t.limit > 0 && !t.omitting.Load() {
		t.note(&t.received, n)
	}
}

func (t *traffic) note(total *atomic.Int64, n int) {
	if total.Add(int64(n)) >= t.limit {
		t.fill.Do(func() { close(t.full) })
	}
}

// sample appends to the samples of all flows and returns their bytes.
func (t *traffic) sample() []int64 {
	at := t.now()
	bytes := make([]int64, len(t.flows))
	for i, f := range t.flows {
		s := f.sample(at)
		f.samples = append(f.samples, s)
		bytes[i] = s.Bytes
	}
	return bytes
}

// endOmit marks the end of the omitted part. Where nothing is omitted, all
// counts: what the workers did since they were started, and what the peer sent
// before this side was ready.
func (t *traffic) endOmit() {
	at := t.now()
	for _, f := range t.flows {
		s := f.sample(at)
		if t.test.Omit == 0 {
			f.begin = mark{info: s.Info}
			continue
		}
		f.begin = f.mark(s)
		if f.udp != nil && !f.sending {
			f.mu.Lock()
			f.seq.ResetJitter()
			f.mu.Unlock()
		}
	}
	t.omitting.Store(false)
}

// stop ends the measurement: it marks the end and waits for the senders.
func (t *traffic) stop() {
	if t.stopped.Swap(true) {
		return
	}
	at := t.now()
	for _, f := range t.flows {
		s := f.sample(at)
		f.samples = append(f.samples, s)
		f.end = f.mark(s)
	}
	t.senders.Wait()
	for _, f := range t.flows {
		if f.sending { // what was under way has been sent, too
			f.end.bytes, f.end.packets = f.bytes.Load(), f.packets.Load()
		}
	}
}

// close ends the receivers and closes the links. It may be called more than
// once, and without run.
func (t *traffic) close() {
	t.closing.Do(func() {
		t.stopped.Store(true)
		for _, f := range t.flows {
			f.interrupt()
		}
		t.senders.Wait()
		t.receivers.Wait()
		for _, f := range t.flows {
			f.close()
		}
	})
}
