package iperf3

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"unchoke/iperf3/internal/datagram"
	"unchoke/iperf3/internal/wire"
)

// A lossyUDP takes UDP streams as a stock server does: it answers the first opening of
// each and no other, and goes on once it has them all.
type lossyUDP struct {
	pc    net.PacketConn
	word  chan message // TEST_START
	peers []string     // the streams in the order of dialling
	// What becomes of a stream's openings and of the answer.
	lost      func(stream, opening int) bool
	noReply   func(stream int) bool
	held      func(stream int) bool // until the next stream is taken
	hesitates time.Duration         // between the last answer and the word

	mu       sync.Mutex
	taken    []int
	openings map[int][][]byte
}

// begin starts it, and a greeting of so many streams by it.
func (u *lossyUDP) begin(t *testing.T, streams int, wait time.Duration) *greeting {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pc.Close() })
	u.pc, u.word, u.openings = pc, make(chan message, 1), map[int][][]byte{}
	g := &greeting{heard: &hearing{c: u.word}, wait: wait, limit: time.Minute, again: datagram.HelloAgain(1400)}
	for range streams {
		conn, err := net.Dial("udp", pc.LocalAddr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		u.peers = append(u.peers, conn.LocalAddr().String())
		g.add(conn, true)
	}
	go u.serve()
	return g
}

func (u *lossyUDP) serve() {
	var later net.Addr
	reply := func(to net.Addr) { u.pc.WriteTo(datagram.Reply(), to) }
	buf := make([]byte, 1<<16)
	for {
		size, from, err := u.pc.ReadFrom(buf)
		if err != nil {
			return
		}
		n := slices.Index(u.peers, from.String())
		u.mu.Lock()
		u.openings[n] = append(u.openings[n], slices.Clone(buf[:size]))
		passed := !slices.Contains(u.taken, n) && (u.lost == nil || !u.lost(n, len(u.openings[n])))
		if passed {
			u.taken = append(u.taken, n)
		}
		all := len(u.taken) == len(u.peers)
		u.mu.Unlock()
		if !passed {
			continue
		}
		if all && u.hesitates == 0 {
			u.word <- message{state: wire.TestStart}
		}
		if later != nil {
			reply(later)
			later = nil
		}
		switch {
		case u.held != nil && u.held(n):
			later = from
		case u.noReply == nil || !u.noReply(n):
			reply(from)
		}
		if all && u.hesitates > 0 {
			time.AfterFunc(u.hesitates, func() { u.word <- message{state: wire.TestStart} })
		}
	}
}

func (u *lossyUDP) order() []int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.taken)
}

// The streams are numbered in the order in which the server took them, whatever is lost.
func TestGreetingOrder(t *testing.T) {
	firstRound := func(streams ...int) func(stream, opening int) bool {
		return func(stream, opening int) bool { return opening <= helloTries && slices.Contains(streams, stream) }
	}
	of := func(streams ...int) func(int) bool {
		return func(stream int) bool { return slices.Contains(streams, stream) }
	}
	for _, c := range []struct {
		name string
		path *lossyUDP
		wait time.Duration
		want []int
	}{
		{"nothing lost", &lossyUDP{}, 20 * time.Millisecond, []int{0, 1, 2}},
		{"the first openings of one lost", &lossyUDP{lost: func(n, opening int) bool { return n == 1 && opening < 3 }}, 20 * time.Millisecond, []int{0, 1, 2}},
		{"a round of the second's lost", &lossyUDP{lost: firstRound(1)}, 20 * time.Millisecond, []int{0, 2, 1}},
		{"a round of the second's lost and its answer", &lossyUDP{lost: firstRound(1), noReply: of(1)}, 20 * time.Millisecond, []int{0, 2, 1}},
		{"the second's answer lost", &lossyUDP{noReply: of(1)}, 20 * time.Millisecond, []int{0, 1, 2}},
		{"it lost, and the word after the last answer", &lossyUDP{noReply: of(1), hesitates: 20 * time.Millisecond}, 120 * time.Millisecond, []int{0, 1, 2}},
		{"the last's answer lost", &lossyUDP{noReply: of(2)}, 20 * time.Millisecond, []int{0, 1, 2}},
		{"the second's answer late, a round of the third's lost", &lossyUDP{held: of(1), lost: firstRound(2)}, 20 * time.Millisecond, []int{0, 1, 3, 2}},
		{"all answers lost", &lossyUDP{noReply: of(0, 1, 2)}, 100 * time.Millisecond, []int{0, 1, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.wait > 20*time.Millisecond && testing.Short() {
				t.Skip("too slow for -short")
			}
			t.Parallel()
			u := c.path
			g := u.begin(t, len(c.want), c.wait)
			if err := g.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			var got []int
			for _, s := range g.streams {
				got = append(got, slices.Index(u.peers, s.LocalAddr().String()))
			}
			if taken := u.order(); !slices.Equal(got, c.want) || !slices.Equal(taken, c.want) {
				t.Errorf("order %v, the server took them in %v, want %v", got, taken, c.want)
			}
		})
	}
}

// The first opening of a stream is short, and repeated ones are as long as its packets.
// Old and new replies are understood.
func TestOpeningRepeated(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]string{"3.12": "6789", "3.11": "\xb1\x68\xde\x3a"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := lossyUDP{lost: func(int, int) bool { return true }}
			g := u.begin(t, 1, 40*time.Millisecond)
			go func() {
				waitFor(t, "three openings", func() bool {
					u.mu.Lock()
					defer u.mu.Unlock()
					return len(u.openings[0]) >= 3
				})
				to, _ := net.ResolveUDPAddr("udp", u.peers[0])
				u.pc.WriteTo([]byte(reply), to)
			}()
			if err := g.run(t.Context()); err != nil || g.silent() > 0 {
				t.Fatalf("%v, %d without an answer", err, g.silent())
			}
			u.mu.Lock()
			defer u.mu.Unlock()
			for n, p := range u.openings[0] {
				want := 1400
				if n == 0 {
					want = 16
				}
				if h, _ := datagram.ParseHeader(p, true); len(p) != want || !datagram.IsHello(p) || h.Seq != 0 {
					t.Errorf("opening %d has %d bytes and number %d", n, len(p), h.Seq)
				}
			}
		})
	}
}

// Where nothing comes back, that is found after the limit, however many the streams.
func TestGreetingBlocked(t *testing.T) {
	for _, wait := range []time.Duration{50 * time.Millisecond, 10 * time.Second} {
		t.Run(wait.String(), func(t *testing.T) {
			t.Parallel()
			u := lossyUDP{lost: func(int, int) bool { return true }}
			g := u.begin(t, 5, wait)
			g.limit = 200 * time.Millisecond
			began := time.Now()
			if err := g.run(t.Context()); !errors.Is(err, ErrUDPBlocked) || time.Since(began) > 2*time.Second {
				t.Errorf("%v after %v", err, time.Since(began))
			}
			if g.rounds != 1 {
				t.Errorf("%d streams were tried", g.rounds)
			}
		})
	}
}

// Who gives up does not wait for the answer to an opening.
func TestGreetingCancelled(t *testing.T) {
	t.Parallel()
	u := lossyUDP{lost: func(int, int) bool { return true }}
	g := u.begin(t, 1, 2*time.Second)
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { cancel(cause) })
	begun := time.Now()
	if err := g.run(ctx); !errors.Is(err, cause) || time.Since(begun) > time.Second {
		t.Errorf("%v after %v", err, time.Since(begun))
	}
}

func TestFirstWait(t *testing.T) {
	for rtt, want := range map[time.Duration]time.Duration{
		0: 250 * time.Millisecond, 100 * time.Millisecond: 250 * time.Millisecond,
		600 * time.Millisecond: 900 * time.Millisecond, time.Minute: 2500 * time.Millisecond,
	} {
		if got := (&Client{}).firstWait(rtt); got != want {
			t.Errorf("RTT %v: %v, want %v", rtt, got, want)
		}
	}
}

// A badPath is a UDP stream some of whose openings and answers are lost or late.
type badPath struct {
	net.Conn
	lose     int           // openings
	silent   time.Duration // for which nothing comes after the first opening
	until    time.Time
	rewrites func(p []byte)
	openings []int // their sizes
}

func (p *badPath) Write(b []byte) (int, error) {
	if datagram.IsHello(b) {
		if p.openings = append(p.openings, len(b)); len(p.openings) == 1 {
			p.until = time.Now().Add(p.silent)
		}
		if p.lose--; p.lose >= 0 {
			return len(b), nil
		}
	} else if p.rewrites != nil {
		p.rewrites(b)
	}
	return p.Conn.Write(b)
}

func (p *badPath) Read(b []byte) (int, error) {
	if wait := time.Until(p.until); wait > 0 {
		time.Sleep(min(wait, 5*time.Millisecond))
		return 0, fmt.Errorf("nothing yet")
	}
	return p.Conn.Read(b)
}

// by is a client whose UDP streams take bad paths, in the order of dialling.
func by(paths ...*badPath) *Client {
	n := 0
	return &Client{helloWait: 30 * time.Millisecond, DialUDP: func(ctx context.Context, addr string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, "udp", addr)
		p := paths[n]
		p.Conn = conn
		n++
		return p, err
	}}
}

// isItsOwn tells whether a server counts what was sent. On a busy host some may come after
// the end.
func isItsOwn(s Stream) bool {
	return s.Remote.Packets <= s.Sent.Packets && (s.Remote.Packets > 0 || s.Sent.Packets == 0)
}

// servers are those that a client meets.
var servers = map[string]func(t *testing.T) string{
	"stock": func(t *testing.T) string { return stockServer(t) },
	"ours":  func(t *testing.T) string { addr, _ := serve(t, &Server{}); return addr },
}

// Openings that are repeated while the answer is late reach a socket that is open by then.
// They are no packets, no losses, and no jitter.
func TestLateAnswers(t *testing.T) {
	for name, start := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := &badPath{silent: 400 * time.Millisecond}
			test := Test{Protocol: UDP, Rate: 2e6, Length: 1000, Streams: 2, Duration: testTime}
			r, err := by(path, &badPath{}).Run(t.Context(), start(t), test)
			if err != nil {
				t.Fatal(err)
			}
			s := r.Streams[0]
			if len(path.openings) < 2 || path.openings[0] != 16 || path.openings[1] != test.Length {
				t.Errorf("openings of %d bytes", path.openings)
			}
			if !isItsOwn(s) || s.Remote.Lost != 0 || s.Remote.Jitter > time.Second {
				t.Errorf("%d packets sent, the server counts %+v", s.Sent.Packets, s.Remote)
			}
		})
	}
}

// Our server takes an opening of any length, and counts a repeated one for nothing.
func TestServerTakesLongOpenings(t *testing.T) {
	t.Parallel()
	addr, seen := serve(t, &Server{SampleEvery: 50 * time.Millisecond})
	path := &badPath{lose: 1, silent: 400 * time.Millisecond}
	test := Test{Protocol: UDP, Rate: 2e6, Length: 1400, Streams: 2, Duration: testTime}
	if _, err := by(path, &badPath{}).Run(t.Context(), addr, test); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "report of the visit", func() bool { return len(seen.all()) == 1 })
	s := seen.all()[0].Flows[0]
	if len(path.openings) < 3 || s.Packets == 0 || s.Lost+s.Reordered+s.Duplicates+s.Malformed > 0 {
		t.Errorf("openings of %d bytes; %d packets, lost %d, reordered %d, duplicates %d, malformed %d",
			path.openings, s.Packets, s.Lost, s.Reordered, s.Duplicates, s.Malformed)
	}
}

// A server that took the streams in another order counts each by its own number.
func TestStreamsTakenInAnotherOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	slots := []Slot{{1e6, 150 * time.Millisecond}, {3e6, 150 * time.Millisecond}, {9e6, 150 * time.Millisecond}}
	for name, start := range servers {
		for _, test := range []Test{
			{Protocol: UDP, Slots: slots, Duration: 600 * time.Millisecond},
			{Protocol: UDP, Rate: 2e6, Bidirectional: true, Duration: testTime},
		} {
			t.Run(fmt.Sprintf("%s/%d", name, len(test.Slots)), func(t *testing.T) {
				t.Parallel()
				r, err := by(&badPath{lose: helloTries}, &badPath{}, &badPath{}).Run(t.Context(), start(t), test)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range r.Streams {
					if s.Sending && !isItsOwn(s) || !s.Sending && s.Packets == 0 {
						t.Errorf("stream %d: %d packets, %d sent, the server counts %+v", s.ID, s.Packets, s.Sent.Packets, s.Remote)
					}
				}
			})
		}
	}
}

// A server cannot have more packets of a stream than it was sent.
func TestPacketsOfAnother(t *testing.T) {
	t.Parallel()
	addr, _ := serve(t, &Server{})
	client := by(&badPath{rewrites: func(p []byte) {
		binary.BigEndian.PutUint32(p[8:], binary.BigEndian.Uint32(p[8:])+100)
	}})
	r, err := client.Run(t.Context(), addr, Test{Protocol: UDP, Rate: 1e6, Duration: testTime})
	if !errors.Is(err, ErrVanished) || r == nil || r.Streams[0].Remote == nil {
		t.Errorf("%v", err)
	}
	run(t, addr, Test{Bytes: 1000}) // the server is free
	for _, c := range []struct {
		name string
		test Test
		s    Stream
		want bool
	}{
		{"all arrived", Test{Protocol: UDP}, Stream{Sending: true, Sent: Sent{Packets: 9}, Remote: &StreamReport{Packets: 7, OmittedPackets: 2}}, true},
		{"too many in the omitted part", Test{Protocol: UDP}, Stream{Sending: true, Sent: Sent{Packets: 9}, Remote: &StreamReport{Packets: 7, OmittedPackets: 3}}, false},
		{"no report", Test{Protocol: UDP}, Stream{Sending: true}, true},
		{"the server sends", Test{Protocol: UDP}, Stream{Remote: &StreamReport{Packets: 7}}, true},
		{"TCP", Test{Protocol: TCP}, Stream{Sending: true, Remote: &StreamReport{Packets: 7}}, true},
	} {
		if err := (&Result{Test: c.test, Streams: []Stream{c.s}}).checkCounts(); (err == nil) != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// slowToAnswer is a control connection on which the first answer takes a while.
type slowToAnswer struct {
	net.Conn
	once *sync.Once
	by   time.Duration
}

func (c slowToAnswer) Read(p []byte) (int, error) {
	c.once.Do(func() { time.Sleep(c.by) })
	return c.Conn.Read(p)
}

// On a long path an opening is not repeated before its answer can be there.
func TestLongPath(t *testing.T) {
	t.Parallel()
	const rtt = 300 * time.Millisecond
	addr, _ := serve(t, &Server{})
	path := &badPath{silent: rtt / 2}
	client := by(path, &badPath{})
	client.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		return slowToAnswer{conn, new(sync.Once), rtt}, err
	}
	if _, err := client.Run(t.Context(), addr, Test{Protocol: UDP, Rate: 1e6, Streams: 2, Duration: 100 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	if len(path.openings) != 1 {
		t.Errorf("openings of %d bytes", path.openings)
	}
}
