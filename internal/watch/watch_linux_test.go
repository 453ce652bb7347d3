package watch

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"net"
	"net/netip"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"unchoke/internal/linux/cgroup"
	"unchoke/internal/linux/netns/netnstest"
	"unchoke/internal/linux/sockdiag"
	"unchoke/internal/live"
)

func open(t *testing.T, o Options) *Sampler {
	t.Helper()
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func next(t *testing.T, s *Sampler) *live.Snapshot {
	t.Helper()
	snap, err := s.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// server takes connections and reads what comes, until the test ends.
func server(t *testing.T) *net.TCPListener {
	t.Helper()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.AcceptTCP()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = io.Copy(io.Discard, c)
			}()
		}
	}()
	return l
}

func dial(t *testing.T, l *net.TCPListener) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func port(a net.Addr) uint16 { return a.(*net.TCPAddr).AddrPort().Port() }

// find is the flow with a local and a remote port.
func find(snap *live.Snapshot, local, remote uint16) *live.Flow {
	for k := range snap.Flows {
		if f := &snap.Flows[k]; f.Local.Port() == local && f.Remote.Port() == remote {
			return f
		}
	}
	return nil
}

// What has arrived takes memory until it is read.
func TestMemory(t *testing.T) {
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	c := dial(t, l)
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	s := open(t, Options{Interval: 100 * time.Millisecond})
	until := func(holds func(*live.Flow) bool) {
		for f := (*live.Flow)(nil); f == nil || !holds(f); {
			if f = find(next(t, s), port(l.Addr()), port(c.LocalAddr())); f == nil {
				t.Fatal("the connection is not there")
			}
		}
	}
	if _, err := c.Write(make([]byte, 900)); err != nil {
		t.Fatal(err)
	}
	until(func(f *live.Flow) bool { return f.RecvQueue == 900 && f.RecvMemory > 900 })
	if _, err := io.ReadFull(far, make([]byte, 900)); err != nil {
		t.Fatal(err)
	}
	until(func(f *live.Flow) bool { return f.RecvQueue == 0 && f.RecvMemory == 0 })
}

// A connection appears, with its rate and its owner, and its last figures come
// when it ends.
func TestConnection(t *testing.T) {
	l := server(t)
	s := open(t, Options{Interval: 200 * time.Millisecond})
	c := dial(t, l)
	near, far := port(c.LocalAddr()), port(l.Addr())

	// 4 kB every 2 ms: 16 Mbit/s, as far as this host keeps the pace.
	sent := make(chan int, 1)
	stop := make(chan struct{})
	go func() {
		total := 0
		defer func() { sent <- total }()
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				n, err := c.Write(make([]byte, 4000))
				total += n
				if err != nil {
					return
				}
			}
		}
	}()
	var up, down *live.Flow
	var first, last *live.Snapshot
	var before uint64
	bits, intervals := 0.0, 0.0
	for k := range 6 {
		snap := next(t, s)
		up, down = find(snap, near, far), find(snap, far, near)
		if up == nil || down == nil {
			t.Fatalf("look %d has not both ends: %v, %v", k, up, down)
		}
		if k == 0 {
			first, before = snap, up.Sent
			continue
		}
		last = snap
		bits += up.SentRate * snap.Interval
		intervals += snap.Interval
	}
	if elapsed := last.Time.Sub(first.Time).Seconds(); elapsed < 0.9 || math.Abs(elapsed-intervals) > 0.001 {
		t.Fatalf("five looks took %v s, their intervals are %v s", elapsed, intervals)
	}
	if want := float64(up.Sent-before) * 8; bits < 0.999*want || bits > 1.001*want || want < 1e6 {
		t.Errorf("the rates add up to %v bits, %v went", bits, want)
	}
	if !up.Whole || up.Accepted || !down.Accepted || up.Closed || up.State != "established" || up.CC == "" || up.RTT <= 0 || up.SendBuffer == 0 {
		t.Errorf("%+v", up)
	}
	if up.Process == "" || up.PID != os.Getpid() || down.PID != os.Getpid() || up.UID != uint32(os.Getuid()) {
		t.Errorf("its process is %q, %d, of user %d", up.Process, up.PID, up.UID)
	}
	close(stop)
	total := <-sent
	c.Close()
	for k := range 10 {
		snap := next(t, s)
		if up = find(snap, near, far); up != nil && up.Closed {
			break
		}
		if k == 9 {
			t.Fatal("its end did not come")
		}
	}
	// The kernel counts the SYN, and the FIN of the end that closes first.
	if up.Sent < uint64(total) || up.Sent > uint64(total)+2 || up.CC == "" || up.PID != os.Getpid() || up.State != "close" {
		t.Errorf("%d bytes went: %+v", total, up)
	}
	if snap := next(t, s); find(snap, near, far) != nil {
		t.Error("it is there after it ended")
	}
}

// The state of a connection that never carried anything is of now.
func TestState(t *testing.T) {
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := dial(t, l)
	far, err := l.AcceptTCP()
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	s := open(t, Options{Interval: Shortest})
	if f := find(next(t, s), port(c.LocalAddr()), port(l.Addr())); f == nil || f.State != "established" {
		t.Fatalf("%+v", f)
	}
	if err := far.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	snap := next(t, s)
	near, other := find(snap, port(c.LocalAddr()), port(l.Addr())), find(snap, port(l.Addr()), port(c.LocalAddr()))
	if near == nil || near.State != "close-wait" || other == nil || other.State != "fin-wait-2" {
		t.Errorf("%+v, %+v", near, other)
	}
}

// Connections that begin and end within an interval are all there.
func TestShortConnections(t *testing.T) {
	l := server(t)
	s := open(t, Options{Interval: time.Second})
	const connections = 500
	mine := map[uint16]bool{}
	for range connections {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Write(make([]byte, 777)); err != nil {
			t.Fatal(err)
		}
		mine[port(c.LocalAddr())] = true
		c.Close()
	}
	seen, placed := map[uint16]*live.Flow{}, map[string]int{}
	var snap *live.Snapshot
	for range 2 {
		snap = next(t, s)
		for k := range snap.Flows {
			f := &snap.Flows[k]
			if f.Local.Port() == port(l.Addr()) && f.Closed {
				if !f.Accepted {
					t.Errorf("%v to %v was not opened by the peer", f.Local, f.Remote)
				}
				placed[f.Cgroup]++
			}
			if f.Remote.Port() == port(l.Addr()) && mine[f.Local.Port()] && f.Closed {
				if seen[f.Local.Port()] != nil {
					t.Errorf("%v came twice", f.Local)
				}
				seen[f.Local.Port()] = f
			}
		}
	}
	for _, f := range seen {
		if f.Sent < 777 || !f.Whole || f.Accepted || f.SentLately < 0 {
			t.Fatalf("%+v", f)
		}
	}
	// The accepted ends are of the listener's control group.
	if n, err := cgroup.OpenNumbers(); err == nil {
		n.Close()
		if len(placed) != 1 || placed[""] != 0 {
			t.Errorf("control groups of the accepted ends: %v", placed)
		}
	}
	if int64(len(seen))+snap.LostEvents < connections {
		t.Errorf("%d of %d connections were seen, %d counted as lost", len(seen), connections, snap.LostEvents)
	}
}

// interrupted is a dumper that passes over some sockets and says so.
type interrupted struct {
	dumper
	port  uint16
	dumps int
}

func (d *interrupted) TCP(m sockdiag.Match, f func(*sockdiag.Socket)) error {
	d.dumps++
	err := d.dumper.TCP(m, func(s *sockdiag.Socket) {
		if s.Local().Port() != d.port {
			f(s)
		}
	})
	if err != nil {
		return err
	}
	return sockdiag.ErrInterrupted
}

// What an interrupted dump passes over is there all the same, and did not end.
func TestInterrupted(t *testing.T) {
	l := server(t)
	c := dial(t, l)
	near, far := port(c.LocalAddr()), port(l.Addr())
	s := open(t, Options{Interval: Shortest})
	whole := s.dump
	broken := &interrupted{dumper: whole, port: near}
	s.dump = broken
	for range 2 {
		snap := next(t, s)
		up, down := find(snap, near, far), find(snap, far, near)
		if up == nil || up.Closed || up.State != "established" || down == nil || down.Closed {
			t.Fatalf("%+v, %+v", up, down)
		}
		// Others of this host may have come to an end meanwhile, and count as well.
		if !slices.ContainsFunc(snap.Notes, regexp.MustCompile(`; connections shown as they were before: [1-9]`).MatchString) {
			t.Errorf("notes %q", snap.Notes)
		}
	}
	if broken.dumps != 2*mostDumps {
		t.Errorf("%d dumps for two looks", broken.dumps)
	}
	s.dump = whole
	if snap := next(t, s); find(snap, near, far) == nil || len(snap.Notes) != 0 && strings.Contains(strings.Join(snap.Notes, " "), "shown as they were") {
		t.Errorf("after it: notes %q", snap.Notes)
	}
	c.Close()
	for range 10 {
		if f := find(next(t, s), near, far); f != nil && f.Closed {
			return
		}
	}
	t.Error("its end did not come")
}

// A flow whose end the kernel does not tell has ended with the figures of the
// look before.
func TestNoEnds(t *testing.T) {
	l := server(t)
	s := open(t, Options{Interval: Shortest})
	if err := s.ends.close(); err != nil {
		t.Fatal(err)
	}
	s.ends, s.noEnds = nil, errors.New("not told")
	c := dial(t, l)
	if _, err := c.Write(make([]byte, 5000)); err != nil {
		t.Fatal(err)
	}
	near, far := port(c.LocalAddr()), port(l.Addr())
	if f := find(next(t, s), near, far); f == nil || f.Closed {
		t.Fatalf("%+v", f)
	}
	c.Close()
	for range 10 {
		snap := next(t, s)
		if !slices.ContainsFunc(snap.Notes, func(n string) bool { return strings.Contains(n, "not told") }) {
			t.Errorf("notes %q", snap.Notes)
		}
		if f := find(snap, near, far); f != nil && f.Closed {
			if f.Sent < 5000 || f.SentRate != 0 || f.Cwnd == 0 {
				t.Errorf("%+v", f)
			}
			return
		}
	}
	t.Error("it did not end")
}

// What does not match is not there, neither open nor ended.
func TestMatch(t *testing.T) {
	l, other := server(t), server(t)
	s := open(t, Options{Interval: Shortest, Match: sockdiag.Match{RemotePort: port(l.Addr()), Remote: netip.MustParsePrefix("127.0.0.0/8")}})
	for range 3 {
		dial(t, l)
		dial(t, other)
		c, d := dial(t, l), dial(t, other)
		c.Close()
		d.Close()
		for _, f := range next(t, s).Flows {
			if f.Remote.Port() != port(l.Addr()) {
				t.Errorf("%v to %v", f.Local, f.Remote)
			}
		}
	}
}

// A namespace is watched from outside, by the path of a file and by a process.
func TestNamespace(t *testing.T) {
	n := netnstest.New(t)
	if _, err := net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	l := server(t)
	dial(t, l)
	s := open(t, Options{Interval: Shortest, Netns: "/proc/self/fd/" + strconv.Itoa(n.Fd())})
	if snap := next(t, s); len(snap.Flows) != 0 {
		t.Errorf("an empty namespace has %d connections", len(snap.Flows))
	}
	s = open(t, Options{Interval: Shortest, Netns: strconv.Itoa(os.Getpid())})
	if snap := next(t, s); len(snap.Flows) < 2 {
		t.Errorf("this process's namespace has %d connections", len(snap.Flows))
	}
	for _, name := range []string{"no-such-namespace", "/no/such/file", "999999999"} {
		if _, err := Open(Options{Netns: name}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(Options{Netns: "/dev/null"}); err == nil {
		t.Error("/dev/null is a namespace")
	}
}

func TestIntervals(t *testing.T) {
	for _, d := range []time.Duration{time.Millisecond, time.Minute, -time.Second} {
		if _, err := Open(Options{Interval: d}); err == nil {
			t.Errorf("every %v", d)
		}
	}
}

// Close ends everything that Open began, also under a Next that waits.
func TestClose(t *testing.T) {
	count := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	goroutines, files := runtime.NumGoroutine(), count()
	for range 3 {
		s, err := Open(Options{Interval: Longest})
		if err != nil {
			t.Fatal(err)
		}
		failed := make(chan error, 1)
		go func() {
			_, err := s.Next(context.Background())
			failed <- err
		}()
		time.Sleep(10 * time.Millisecond)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := <-failed; !errors.Is(err, os.ErrClosed) {
			t.Errorf("Next returned %v", err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("closed twice: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := open(t, Options{})
	if _, err := s.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Next returned %v", err)
	}
	s.Close()
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end) && (runtime.NumGoroutine() > goroutines || count() > files); {
		time.Sleep(10 * time.Millisecond)
	}
	if g, f := runtime.NumGoroutine(), count(); g > goroutines || f > files {
		t.Errorf("%d goroutines and %d descriptors, before %d and %d", g, f, goroutines, files)
	}
}
