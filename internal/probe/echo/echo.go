// Package echo measures round trips with small probes: ICMP echo where this
// host may send it, else the time that a TCP connection takes to open.
//
// A series is sent in the background until it is stopped. One goroutine sends a
// probe at every tick and then collects what has arrived since the last one;
// the kernel's receive timestamps say when that was. So a probe costs a few
// system calls, and nothing ever waits on the clock by spinning, which the lab's
// virtual time would not survive.
package echo

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"time"

	"unchoke/internal/record"
)

// Methods by which a series may measure, as they stand in record.Echo.
const (
	ICMP = "icmp"
	TCP  = "tcp"
)

const (
	// DefaultInterval between probes.
	DefaultInterval = 20 * time.Millisecond
	// MinTCPInterval bounds the rate at which connections are opened: they cost
	// the far host more than an echo, and look like a scan.
	MinTCPInterval = 200 * time.Millisecond
	// DiscardPort is where connections are opened in place of ICMP echo: a port that next
	// to nobody serves (RFC 863), whose refusal is the answer.
	DiscardPort = 9
	// A path is at rest when the median of RestProbes in a row is no more than RestMargin
	// above what is common without load.
	RestProbes = 5
	RestMargin = 2 * time.Millisecond
)

// ErrNotPermitted means that this host may not send ICMP echo: neither through
// a ping socket (net.ipv4.ping_group_range) nor through a raw one (CAP_NET_RAW).
var ErrNotPermitted = errors.New("ICMP echo not permitted")

// Options of a series. The zero value is usable.
type Options struct {
	// Interval between probes; DefaultInterval where zero.
	Interval time.Duration
	// Port is where the TCP method connects; zero rules that method out. An
	// answer is a SYN-ACK or a RST, so a closed port serves as well as an open
	// one, and better: a stock iperf3 server takes every connection for a
	// client and is busy with it.
	Port int
	// Method forces one of the methods; the first that works where empty.
	Method string
}

// method is a way to send probes and to learn of their answers.
type method interface {
	// send sends the probe with this sequence number.
	send(seq uint16) error
	// collect returns the answers that have arrived since it was last called,
	// in the order of their arrival, without waiting.
	collect() []answer
	close()
}

// answer to one probe.
type answer struct {
	seq uint16
	at  time.Time // with a monotonic reading
}

// Series is one running series of probes.
type Series struct {
	name   string
	method method
	start  time.Time
	stop   chan time.Duration
	done   chan struct{}

	// What follows belongs to run until done is closed; mu guards it against
	// Snapshot, and run need not take it to read.
	mu       sync.Mutex
	sent     []time.Time
	probes   []record.Probe
	answered int
	sendErr  error
}

// Start begins a series of probes to addr, which runs until Stop is called or
// ctx ends. Stop must be called in either case.
func Start(ctx context.Context, addr netip.Addr, opts Options) (*Series, error) {
	if opts.Interval <= 0 {
		opts.Interval = DefaultInterval
	}
	name, m, err := open(ctx, addr.Unmap(), opts)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", addr, err)
	}
	interval := opts.Interval
	if name == TCP {
		interval = max(interval, MinTCPInterval)
	}
	s := &Series{
		name:   name,
		method: m,
		start:  time.Now(),
		stop:   make(chan time.Duration, 1),
		done:   make(chan struct{}),
	}
	go s.run(ctx, interval)
	return s, nil
}

// open finds the first method that this host allows.
func open(ctx context.Context, addr netip.Addr, opts Options) (string, method, error) {
	if opts.Method == "" || opts.Method == ICMP {
		m, err := openICMP(addr, tokenSize)
		if err == nil {
			return ICMP, m, nil
		}
		if opts.Method == ICMP || opts.Port == 0 {
			return "", nil, err
		}
	}
	if opts.Method != "" && opts.Method != TCP {
		return "", nil, fmt.Errorf("unknown method %q", opts.Method)
	}
	if opts.Port <= 0 || opts.Port > 65535 {
		return "", nil, fmt.Errorf("method %s: no port to connect to", TCP)
	}
	return TCP, openTCP(ctx, netip.AddrPortFrom(addr, uint16(opts.Port))), nil
}

// Stop ends the sending, waits at most wait for answers still on their way, and
// returns the series; its Name and Started are the caller's to set. It must be
// called once.
func (s *Series) Stop(wait time.Duration) record.Echo {
	s.stop <- wait
	<-s.done
	e := record.Echo{Method: s.name, Sent: len(s.probes), Probes: s.probes}
	if s.sendErr != nil && s.answered < len(s.probes) {
		e.Error = s.sendErr.Error()
	}
	return e
}

// Started is when the first probe was sent, from which the probes' times count.
func (s *Series) Started() time.Time { return s.start }

// Snapshot returns the probes sent so far, while the series runs on.
func (s *Series) Snapshot() []record.Probe {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.probes)
}

func (s *Series) run(ctx context.Context, interval time.Duration) {
	defer close(s.done)
	defer s.method.close()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		s.send()
		select {
		case <-tick.C:
			s.collect()
		case wait := <-s.stop:
			s.linger(ctx, tick, wait)
			return
		case <-ctx.Done():
			s.collect()
			return
		}
	}
}

// linger collects until every probe is answered or wait is over.
func (s *Series) linger(ctx context.Context, tick *time.Ticker, wait time.Duration) {
	end := time.NewTimer(wait)
	defer end.Stop()
	for s.collect(); s.answered < len(s.probes); s.collect() {
		select {
		case <-tick.C:
		case <-end.C:
			s.collect()
			return
		case <-ctx.Done():
			return
		}
	}
}

func (s *Series) send() {
	seq := uint16(len(s.probes)) // wraps
	now := time.Now()
	s.mu.Lock()
	s.sent = append(s.sent, now)
	s.probes = append(s.probes, record.Probe{At: now.Sub(s.start).Seconds()})
	s.mu.Unlock()
	if err := s.method.send(seq); err != nil {
		s.sendErr = err
	}
}

func (s *Series) collect() {
	answers := s.method.collect()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range answers {
		i, ok := unwrap(a.seq, len(s.probes))
		if !ok || s.probes[i].Order != 0 { // not ours, or a duplicate
			continue
		}
		s.answered++
		s.probes[i].Order = s.answered
		// A round trip on this host can fall below the clocks' resolution; zero
		// would mean "no answer".
		s.probes[i].RTT = max(a.at.Sub(s.sent[i]), time.Nanosecond).Seconds()
	}
}

// unwrap returns the index of the latest of n probes that bears seq.
func unwrap(seq uint16, n int) (int, bool) {
	last := n - 1
	i := last - int(uint16(last)-seq)
	return i, i >= 0
}
