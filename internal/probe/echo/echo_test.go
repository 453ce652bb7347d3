package echo

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"unchoke/internal/record"
)

// fake answers each probe after a delay of the test's choosing; none where it
// is negative.
type fake struct {
	delay   func(i int) time.Duration
	sent    int
	pending []answer
	closed  bool
}

func (f *fake) send(seq uint16) error {
	d := f.delay(f.sent)
	f.sent++
	if d < 0 {
		return errors.New("send: network is unreachable")
	}
	f.pending = append(f.pending, answer{seq, time.Now().Add(d)})
	return nil
}

func (f *fake) collect() []answer {
	var due []answer
	f.pending = slices.DeleteFunc(f.pending, func(a answer) bool {
		if a.at.After(time.Now()) {
			return false
		}
		due = append(due, a)
		return true
	})
	slices.SortFunc(due, func(a, b answer) int { return a.at.Compare(b.at) })
	return due
}

func (f *fake) close() { f.closed = true }

func start(ctx context.Context, m method, interval time.Duration) *Series {
	s := &Series{
		name: ICMP, method: m, start: time.Now(),
		stop: make(chan time.Duration, 1), done: make(chan struct{}),
	}
	go s.run(ctx, interval)
	return s
}

func TestSeriesOrderAndLoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{delay: func(i int) time.Duration {
			switch i {
			case 2: // overtaken by 3
				return 35 * time.Millisecond
			case 4:
				return -1
			}
			return 10 * time.Millisecond
		}}
		s := start(t.Context(), f, 20*time.Millisecond)
		time.Sleep(130 * time.Millisecond) // 7 probes, from 0 to 120 ms
		e := s.Stop(time.Second)
		if !f.closed {
			t.Error("method left open")
		}
		if e.Sent != 7 || len(e.Probes) != 7 {
			t.Fatalf("sent %d, %d probes, want 7", e.Sent, len(e.Probes))
		}
		var order []int
		for i, p := range e.Probes {
			order = append(order, p.Order)
			if want := 0.02 * float64(i); p.At != want {
				t.Errorf("probe %d sent at %v, want %v", i, p.At, want)
			}
		}
		if want := []int{1, 2, 4, 3, 0, 5, 6}; !slices.Equal(order, want) {
			t.Errorf("order %v, want %v", order, want)
		}
		if e.Probes[2].RTT != 0.035 || e.Probes[3].RTT != 0.01 || e.Probes[4].RTT != 0 {
			t.Errorf("round trips %+v", e.Probes)
		}
		if e.Error == "" {
			t.Error("the failure to send is not told")
		}
	})
}

func TestStopWaitsForLateAnswersOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t.Context(), &fake{delay: func(int) time.Duration { return 300 * time.Millisecond }}, 20*time.Millisecond)
		time.Sleep(90 * time.Millisecond)
		began := time.Now()
		e := s.Stop(time.Minute)
		if answered(e) != 5 {
			t.Errorf("%d of %d answered, want all 5", answered(e), e.Sent)
		}
		if waited := time.Since(began); waited > 320*time.Millisecond {
			t.Errorf("waited %v after the last answer had come", waited)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s := start(t.Context(), &fake{delay: func(int) time.Duration { return time.Hour }}, 20*time.Millisecond)
		time.Sleep(50 * time.Millisecond)
		began := time.Now()
		e := s.Stop(200 * time.Millisecond)
		if waited := time.Since(began); answered(e) != 0 || waited != 200*time.Millisecond {
			t.Errorf("%d answered after %v, want none after 200ms", answered(e), waited)
		}
	})
}

func TestCancelEndsSeries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := start(ctx, &fake{delay: func(int) time.Duration { return time.Millisecond }}, 20*time.Millisecond)
		time.Sleep(50 * time.Millisecond)
		cancel()
		began := time.Now()
		if e := s.Stop(time.Minute); answered(e) != 3 || time.Since(began) != 0 {
			t.Errorf("%d answered after %v, want 3 at once", answered(e), time.Since(began))
		}
	})
}

func TestSnapshotWhileRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t.Context(), &fake{delay: func(int) time.Duration { return 30 * time.Millisecond }}, 20*time.Millisecond)
		time.Sleep(50 * time.Millisecond)
		early := s.Snapshot() // of the probes of 0, 20 and 40 ms, the first answered
		e := s.Stop(time.Second)
		if len(early) != 3 || early[0].Order != 1 || early[1].Order != 0 {
			t.Errorf("%+v", early)
		}
		if answered(e) != 3 {
			t.Errorf("%d of %d answered at the end", answered(e), e.Sent)
		}
	})
}

func TestDuplicatesAreIgnored(t *testing.T) {
	at := time.Now()
	s := &Series{
		method: &fake{pending: []answer{{0, at}, {0, at}, {7, at}}},
		sent:   []time.Time{at}, probes: make([]record.Probe, 1),
	}
	s.collect()
	if s.answered != 1 || s.probes[0].Order != 1 {
		t.Errorf("%d answered, %+v", s.answered, s.probes)
	}
	if s.probes[0].RTT <= 0 {
		t.Error("an answer within the clock's resolution counts as none")
	}
}

func TestUnwrap(t *testing.T) {
	for _, c := range []struct {
		seq  uint16
		n    int
		want int
		ok   bool
	}{
		{0, 1, 0, true},
		{1, 1, 0, false},
		{0, 0, 0, false},
		{65535, 65536, 65535, true},
		{65535, 65537, 65535, true},
		{0, 65537, 65536, true},
		{1, 65537, 1, true},
		{5, 200000, 196613, true},
	} {
		got, ok := unwrap(c.seq, c.n)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("unwrap(%d, %d) = %d, %v, want %d, %v", c.seq, c.n, got, ok, c.want, c.ok)
		}
	}
}

func answered(e record.Echo) (n int) {
	for _, p := range e.Probes {
		if p.Order != 0 {
			n++
		}
	}
	return n
}

func TestLoopbackICMP(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("ICMP echo is for linux and darwin")
	}
	for _, addr := range []string{"127.0.0.1", "::1", "::ffff:127.0.0.1"} {
		t.Run(addr, func(t *testing.T) {
			s, err := Start(t.Context(), netip.MustParseAddr(addr), Options{Interval: 5 * time.Millisecond, Method: ICMP})
			if errors.Is(err, ErrNotPermitted) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond)
			e := s.Stop(time.Second)
			if e.Sent < 5 || answered(e) != e.Sent || e.Error != "" {
				t.Fatalf("%d of %d answered, error %q", answered(e), e.Sent, e.Error)
			}
			for i, p := range e.Probes {
				if p.Order != i+1 || p.RTT <= 0 {
					t.Errorf("probe %d: %+v", i, p)
				}
			}
			// The stamps are the kernel's: at the ticks every round trip would be
			// an interval long.
			rtts := make([]float64, 0, len(e.Probes))
			for _, p := range e.Probes {
				rtts = append(rtts, p.RTT)
			}
			if median := slices.Sorted(slices.Values(rtts))[len(rtts)/2]; median > 0.002 {
				t.Errorf("median round trip on loopback %v s", median)
			}
		})
	}
}

func TestLoopbackTCP(t *testing.T) {
	open, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for name, l := range map[string]net.Listener{"open": open, "closed": closed} {
		if name == "closed" && runtime.GOOS == "windows" {
			continue // which tries a refused port three times, half a second apart
		}
		port := l.Addr().(*net.TCPAddr).Port
		s, err := Start(t.Context(), netip.MustParseAddr("127.0.0.1"), Options{Method: TCP, Port: port})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(MinTCPInterval + MinTCPInterval/2)
		e := s.Stop(time.Second)
		if e.Method != TCP || e.Sent != 2 || answered(e) != 2 {
			t.Errorf("%s port: %+v", name, e)
		}
	}
}

func TestStartRefuses(t *testing.T) {
	addr := netip.MustParseAddr("127.0.0.1")
	for _, opts := range []Options{{Method: "smoke"}, {Method: TCP}, {Method: TCP, Port: 70000}} {
		if _, err := Start(t.Context(), addr, opts); err == nil {
			t.Errorf("Start with %+v succeeded", opts)
		}
	}
}
