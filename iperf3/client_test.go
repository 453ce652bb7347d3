package iperf3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"unchoke/iperf3/internal/wire"
)

// fakeServer accepts connections and hands each, with its number from 0, to
// behave.
func fakeServer(t *testing.T, behave func(n int, conn net.Conn)) string {
	t.Helper()
	l := listen(t)
	t.Cleanup(func() { l.Close() })
	go func() {
		for n := 0; ; n++ {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { conn.Close() })
			go behave(n, conn)
		}
	}()
	return l.Addr().String()
}

// say reads the cookie, then for each string sends it and, after
// PARAM_EXCHANGE, reads the parameters.
func say(conn net.Conn, words ...string) {
	io.ReadFull(conn, make([]byte, wire.CookieSize))
	for _, w := range words {
		io.WriteString(conn, w)
		if w == "\x09" {
			var p wire.Params
			wire.ReadJSON(conn, wire.MaxParams, &p)
		}
	}
}

const (
	saysParams  = "\x09"
	saysStreams = "\x0a"
	saysRunning = "\x01\x02"
	saysResults = "\x0d"
)

// whileDataFlows lets a test get so far that data have arrived, and then
// interrupts it.
func whileDataFlows(interrupt func(control net.Conn)) func(n int, conn net.Conn) {
	flows := make(chan struct{})
	return func(n int, conn net.Conn) {
		switch n {
		case 0:
			say(conn, saysParams, saysStreams, saysRunning)
			<-flows
			interrupt(conn)
		case 1:
			io.CopyN(io.Discard, conn, wire.CookieSize+1)
			close(flows)
		}
		io.Copy(io.Discard, conn)
	}
}

func TestClientMeetsBadServers(t *testing.T) {
	t.Parallel()
	hang := func(conn net.Conn) { io.Copy(io.Discard, conn) }
	for _, c := range []struct {
		name     string
		test     Test
		behave   func(n int, conn net.Conn)
		want     error
		measured bool
	}{
		{"silent", Test{}, func(_ int, c net.Conn) { hang(c) }, ErrBusy, false},
		{"denies", Test{}, func(_ int, c net.Conn) { say(c, "\xff"); hang(c) }, ErrBusy, false},
		{"closes at once", Test{}, func(_ int, c net.Conn) { c.Close() }, ErrVanished, false},
		{"is a web server", Test{}, func(_ int, c net.Conn) { say(c, "HTTP/1.1 400 Bad Request\r\n\r\n") }, ErrProtocol, false},
		{"terminates", Test{}, func(_ int, c net.Conn) { say(c, "\x0b"); hang(c) }, ErrTerminated, false},
		{"wants the streams too early", Test{}, func(_ int, c net.Conn) { say(c, saysStreams); hang(c) }, ErrProtocol, false},
		{"is silent after the parameters", Test{}, func(_ int, c net.Conn) { say(c, saysParams); hang(c) }, ErrVanished, false},
		{"closes after the parameters", Test{}, func(_ int, c net.Conn) { say(c, saysParams); c.Close() }, ErrVanished, false},
		{"takes the streams and is silent", Test{}, func(n int, c net.Conn) {
			if n == 0 {
				say(c, saysParams, saysStreams)
			}
			hang(c)
		}, ErrVanished, false},
		{"vanishes while data flows", Test{}, whileDataFlows(func(c net.Conn) { c.Close() }), ErrVanished, true},
		{"closes the stream while data flows", Test{}, func(n int, c net.Conn) {
			if n == 0 {
				say(c, saysParams, saysStreams, saysRunning)
				hang(c)
			}
			io.CopyN(io.Discard, c, 1<<20)
			c.Close()
		}, ErrVanished, true},
		{"sends an unknown state while data flows", Test{}, whileDataFlows(func(c net.Conn) { io.WriteString(c, "\x63") }), ErrProtocol, true},
		{"terminates while data flows", Test{}, whileDataFlows(func(c net.Conn) { io.WriteString(c, "\x0b") }), ErrTerminated, true},
		{"does not hear the end", Test{Duration: 200 * time.Millisecond}, func(n int, c net.Conn) {
			if n == 0 {
				say(c, saysParams, saysStreams, saysRunning)
			}
			hang(c)
		}, ErrVanished, true},
		{"takes nothing of a test of bytes", Test{Bytes: 1 << 40}, func(n int, c net.Conn) {
			if n == 0 {
				say(c, saysParams, saysStreams, saysRunning)
				hang(c)
			}
			time.Sleep(3 * time.Second)
		}, ErrVanished, true},
		{"announces results of 4 GB", Test{Duration: 200 * time.Millisecond}, func(n int, c net.Conn) {
			if n == 0 {
				say(c, saysParams, saysStreams, saysRunning)
				io.ReadFull(c, make([]byte, 1))
				io.WriteString(c, saysResults+"\xff\xff\xff\xff")
			}
			hang(c)
		}, ErrProtocol, true},
		{"sends results that are none", Test{Duration: 200 * time.Millisecond}, func(n int, c net.Conn) {
			if n == 0 {
				say(c, saysParams, saysStreams, saysRunning)
				io.ReadFull(c, make([]byte, 1))
				io.WriteString(c, saysResults+"\x00\x00\x00\x05hello")
			}
			hang(c)
		}, ErrProtocol, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			client := Client{Timeout: 400 * time.Millisecond}
			r, err := client.Run(context.Background(), fakeServer(t, c.behave), c.test)
			if !errors.Is(err, c.want) || Hint(err) == "" {
				t.Errorf("%v (hint %q)\nwant %v", err, Hint(err), c.want)
			}
			if took := time.Since(start); took > 6*time.Second {
				t.Errorf("took %v", took)
			}
			if (r != nil) != c.measured {
				t.Fatalf("result %+v", r)
			}
			if c.measured && (len(r.Streams) != 1 || r.Streams[0].Bytes == 0 || r.Elapsed == 0) {
				t.Errorf("measured %+v", r.Streams)
			}
		})
	}
}

func TestUDPBlocked(t *testing.T) {
	t.Parallel()
	addr := fakeServer(t, func(_ int, conn net.Conn) {
		say(conn, saysParams, saysStreams)
		io.Copy(io.Discard, conn)
	})
	start := time.Now()
	r, err := (&Client{Timeout: 400 * time.Millisecond}).Run(context.Background(), addr, Test{Protocol: UDP, Rate: 1e6, Streams: 5})
	if !errors.Is(err, ErrUDPBlocked) || Hint(err) == "" || r != nil || time.Since(start) > 3*time.Second {
		t.Errorf("%v and result %+v after %v", err, r, time.Since(start))
	}
}

// A server that leaves a test in which no congestion control was asked for refused none.
func TestVanishedBeforeStart(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]Test{
		"none was asked for": {Protocol: UDP, Rate: 1e6},
		"one was":            {Reverse: true, Congestion: "reno"},
	} {
		addr := fakeServer(t, func(n int, conn net.Conn) {
			if n == 0 {
				say(conn, saysParams, saysStreams)
				time.Sleep(50 * time.Millisecond) // so that its streams are open
			}
			conn.Close()
		})
		_, err := (&Client{Timeout: time.Second}).Run(t.Context(), addr, test)
		if !errors.Is(err, ErrVanished) || errors.Is(err, ErrCongestionDenied) != (test.Congestion != "") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestClientRefused(t *testing.T) {
	t.Parallel()
	start := time.Now()
	_, err := (&Client{}).Run(context.Background(), fmt.Sprintf("127.0.0.1:%d", freePort(t)), Test{})
	if !errors.Is(err, ErrRefused) || time.Since(start) > 3*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
}

func TestServerErrors(t *testing.T) {
	for name, c := range map[string]struct {
		words string
		want  ServerError
	}{
		"with errno":    {"\xfe\x00\x00\x00\x7c\x00\x00\x00\x69", ServerError{wire.CodeSetBuffer, 105}},
		"without errno": {"\xfe\x00\x00\x00\x8e", ServerError{wire.CodeAuth, 0}}, // 3.12, a refused login
		"unknown":       {"\xfe\x00\x00\x27\x0f\x00\x00\x00\x00", ServerError{9999, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr := fakeServer(t, func(_ int, conn net.Conn) { say(conn, saysParams, c.words); conn.(*net.TCPConn).CloseWrite() })
			_, err := (&Client{}).Run(context.Background(), addr, Test{Congestion: "reno"})
			var got *ServerError
			if !errors.As(err, &got) || *got != c.want || got.Error() == "" || got.Hint() == "" {
				t.Errorf("%v (%+v)", err, got)
			}
		})
	}
}

// When the caller gives up, the server is free for the next test at once.
func TestCancelFreesServer(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(t *testing.T) string{
		"stock": func(t *testing.T) string { return stockServer(t) },
		"ours":  func(t *testing.T) string { addr, _ := serve(t, &Server{}); return addr },
	} {
		for _, test := range []Test{{}, {Reverse: true}, {Protocol: UDP, Rate: 1e6}} {
			t.Run(name+"/"+shapeName(Test{Protocol: test.Protocol, Reverse: test.Reverse, Streams: 1}), func(t *testing.T) {
				t.Parallel()
				addr := start(t)
				cause := errors.New("enough")
				ctx, cancel := context.WithCancelCause(context.Background())
				var gaveUp time.Time
				c := Client{Progress: func(p Progress) {
					if gaveUp.IsZero() && p.Bytes[0] > 0 {
						gaveUp = time.Now()
						cancel(cause)
					}
				}}
				r, err := c.Run(ctx, addr, test)
				if !errors.Is(err, cause) || time.Since(gaveUp) > 2*time.Second {
					t.Errorf("%v, %v after the caller gave up", err, time.Since(gaveUp))
				}
				if r == nil || r.Streams[0].Bytes == 0 {
					t.Error("what was measured is lost")
				}
				run(t, addr, Test{Bytes: 1000})
			})
		}
	}
}

func TestBusy(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	for name, start := range map[string]func(t *testing.T) string{
		"stock": func(t *testing.T) string { return stockServer(t) },
		"ours":  func(t *testing.T) string { addr, _ := serve(t, &Server{}); return addr },
		"queue": func(t *testing.T) string { addr, _ := serve(t, &Server{Queue: 1}); return addr },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr := start(t)
			first := make(chan error, 1)
			running := make(chan struct{}, 100)
			go func() {
				c := Client{Progress: func(Progress) { running <- struct{}{} }}
				_, err := c.Run(context.Background(), addr, Test{Duration: 2 * time.Second})
				first <- err
			}()
			<-running
			if name != "queue" {
				if _, err := (&Client{Timeout: time.Second}).Run(context.Background(), addr, Test{Bytes: 1000}); !errors.Is(err, ErrBusy) {
					t.Errorf("without patience: %v", err)
				}
			}
			if _, err := (&Client{BusyWait: 10 * time.Second}).Run(context.Background(), addr, Test{Bytes: 1000}); err != nil {
				t.Errorf("with patience: %v", err)
			}
			if err := <-first; err != nil {
				t.Errorf("the test that others waited for: %v", err)
			}
		})
	}
}

// A server may say that it is busy only when it has the parameters, as ours
// does; the client tries again all the same.
func TestBusyAfterParameters(t *testing.T) {
	t.Parallel()
	addr := fakeServer(t, func(n int, conn net.Conn) {
		say(conn, saysParams, []string{"\xff", "\x0b"}[min(n, 1)])
		io.Copy(io.Discard, conn)
	})
	if _, err := (&Client{BusyWait: 5 * time.Second}).Run(context.Background(), addr, Test{}); !errors.Is(err, ErrTerminated) {
		t.Errorf("the second attempt was to meet a server that ends it: %v", err)
	}
}

// A UDP test of fewer bytes than a datagram has sends one.
func TestUDPBytesAreDatagrams(t *testing.T) {
	t.Parallel()
	addr, _ := serve(t, &Server{})
	r := run(t, addr, Test{Protocol: UDP, Bytes: 1000, Length: 600, Rate: 1e6})
	if s := r.Streams[0]; s.Packets != 2 || s.Bytes != 1200 {
		t.Errorf("%d packets, %d bytes", s.Packets, s.Bytes)
	}
}

// 3.12 keeps the congestion control and get_server_output of one test for
// the later ones. Ours must not suffer from it.
func TestLeaksBetweenTests(t *testing.T) {
	t.Parallel()
	addr := stockServer(t)
	plain := run(t, addr, Test{Bytes: 1000, Reverse: true})
	if plain.Remote.Congestion == "reno" {
		t.Skip("reno is this system's default")
	}
	if r := run(t, addr, Test{Bytes: 1000, Reverse: true, Congestion: "reno", GetServerOutput: true}); r.Remote.Congestion != "reno" || r.ServerOutputText == "" {
		t.Errorf("asked for reno and output, got %q and %q", r.Remote.Congestion, r.ServerOutputText)
	}
	if r := run(t, addr, Test{Bytes: 1000, Reverse: true}); r.Remote.Congestion != plain.Remote.Congestion || r.ServerOutputText != "" {
		t.Errorf("asked for neither, got %q and %q", r.Remote.Congestion, r.ServerOutputText)
	}
}

func TestUnknownCongestion(t *testing.T) {
	t.Parallel()
	addr := stockServer(t)
	r := run(t, addr, Test{Bytes: 1000, Reverse: true, Congestion: "nosuch"})
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "nosuch") {
		t.Errorf("a server that fell back: warnings %q", r.Warnings)
	}
	if runtime.GOOS == "linux" {
		if _, err := (&Client{}).Run(context.Background(), addr, Test{Bytes: 1000, Congestion: "nosuch"}); !errors.Is(err, ErrCongestion) {
			t.Errorf("a sender here: %v", err)
		}
	}
}

// Who reads counters beside a test has a reading from before its first byte, and one from
// each slot's end.
func TestProgressAtBounds(t *testing.T) {
	addr, _ := serve(t, &Server{})
	var all []Progress
	c := Client{Progress: func(p Progress) { all = append(all, p) }}
	if _, err := c.Run(t.Context(), addr, Test{Streams: 2, Duration: 400 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	if len(all) < 2 || all[0].Elapsed != 0 || !slices.Equal(all[0].Bytes, []int64{0, 0}) {
		t.Errorf("%+v", all)
	}
	m := progressMeter{test: &Test{Slots: []Slot{{Duration: 200 * time.Millisecond}, {Duration: 300 * time.Millisecond}}}}
	var called []int
	m.call = func(p Progress) { called = append(called, int(p.Elapsed/time.Millisecond)) }
	for at := 20; at <= 700; at += 20 {
		m.tick(Progress{Elapsed: time.Duration(at) * time.Millisecond})
	}
	if want := []int{160, 200, 360, 500, 660}; !slices.Equal(called, want) {
		t.Errorf("called at %v ms, want %v", called, want)
	}
}
