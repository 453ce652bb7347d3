package iperf3

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"unchoke/iperf3/internal/datagram"
	"unchoke/iperf3/internal/wire"
)

// A rude client does one thing wrong, on a connection of its own, and is
// given a state's time to see what comes of it.
type rude struct {
	name string
	do   func(t *testing.T, addr string, conn net.Conn)
}

// enter sends the cookie and, once asked, the parameters, and waits for the
// answer; it returns the cookie.
func enter(conn net.Conn, p string) wire.Cookie {
	id := newCookie()
	conn.Write(id[:])
	io.ReadFull(conn, make([]byte, 1))
	wire.WriteJSON(conn, json.RawMessage(p))
	io.ReadFull(conn, make([]byte, 1))
	return id
}

func stream(t *testing.T, addr string, id wire.Cookie) net.Conn {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.Write(id[:])
	return conn
}

// greetOnce opens a UDP stream, as far as one datagram does.
func greetOnce(t *testing.T, addr string) net.Conn {
	conn, err := net.Dial("udp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.Write(datagram.Hello())
	return conn
}

const plainParams = `{"tcp":true,"time":1,"parallel":1,"len":131072}`

var rudeClients = []rude{
	{"closes at once", func(_ *testing.T, _ string, c net.Conn) { c.Close() }},
	{"sends half a cookie", func(_ *testing.T, _ string, c net.Conn) { c.Write(make([]byte, 20)) }},
	{"is a browser", func(_ *testing.T, _ string, c net.Conn) {
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: far\r\nUser-Agent: x\r\n\r\n")
	}},
	{"sends a cookie and no parameters", func(_ *testing.T, _ string, c net.Conn) { id := newCookie(); c.Write(id[:]) }},
	{"announces parameters of 4 GB", func(_ *testing.T, _ string, c net.Conn) {
		id := newCookie()
		c.Write(id[:])
		c.Write([]byte{255, 255, 255, 255})
	}},
	{"sends parameters that are none", func(_ *testing.T, _ string, c net.Conn) { enter(c, `"hello"`) }},
	{"asks for too much", func(_ *testing.T, _ string, c net.Conn) { enter(c, `{"tcp":true,"parallel":1000000,"len":1e18}`) }},
	{"opens no stream", func(_ *testing.T, _ string, c net.Conn) { enter(c, plainParams) }},
	{"opens no UDP stream", func(_ *testing.T, _ string, c net.Conn) { enter(c, `{"udp":true,"time":1}`) }},
	{"opens one of two streams", func(t *testing.T, addr string, c net.Conn) {
		stream(t, addr, enter(c, `{"tcp":true,"time":1,"parallel":2}`))
	}},
	{"opens a stream with another cookie", func(t *testing.T, addr string, c net.Conn) {
		enter(c, plainParams)
		stream(t, addr, newCookie())
	}},
	{"opens too many streams", func(t *testing.T, addr string, c net.Conn) {
		id := enter(c, plainParams)
		for range 5 {
			stream(t, addr, id)
		}
	}},
	{"ends before it begins", func(_ *testing.T, _ string, c net.Conn) {
		enter(c, plainParams)
		c.Write([]byte{byte(wire.TestEnd)})
	}},
	{"leaves while data flows", func(t *testing.T, addr string, c net.Conn) {
		stream(t, addr, enter(c, `{"tcp":true,"time":1,"reverse":true}`))
		io.ReadFull(c, make([]byte, 2))
		c.Close()
	}},
	{"closes its stream while data flows", func(t *testing.T, addr string, c net.Conn) {
		data := stream(t, addr, enter(c, `{"tcp":true,"time":1,"reverse":true}`))
		io.ReadFull(c, make([]byte, 2))
		data.Close()
		c.Write([]byte{byte(wire.ClientTerminate)})
	}},
	{"sends an unknown state", func(t *testing.T, addr string, c net.Conn) {
		stream(t, addr, enter(c, plainParams))
		c.Write([]byte{99})
	}},
	{"sends rubbish as UDP data", func(t *testing.T, addr string, c net.Conn) {
		enter(c, `{"udp":true,"time":1,"udp_counters_64bit":1}`)
		data := greetOnce(t, addr)
		io.ReadFull(c, make([]byte, 2))
		for n := range 300 {
			data.Write([]byte(strings.Repeat("\xff", n%40)))
		}
		c.Write([]byte{byte(wire.ClientTerminate)})
	}},
	{"sends no results", func(t *testing.T, addr string, c net.Conn) {
		stream(t, addr, enter(c, plainParams))
		io.ReadFull(c, make([]byte, 2))
		c.Write([]byte{byte(wire.TestEnd)})
	}},
	{"sends results that are none", func(t *testing.T, addr string, c net.Conn) {
		stream(t, addr, enter(c, plainParams))
		io.ReadFull(c, make([]byte, 2))
		c.Write([]byte{byte(wire.TestEnd)})
		c.Write([]byte("\x00\x00\x00\x04null\x00\x00\x00\x02{}"))
	}},
}

// Whatever one client does, the next one is served.
func TestServerSurvives(t *testing.T) {
	t.Parallel()
	for _, r := range rudeClients {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			addr, _ := serve(t, &Server{Timeout: 300 * time.Millisecond})
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			conn.SetDeadline(time.Now().Add(5 * time.Second))
			r.do(t, addr, conn)
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			client := Client{BusyWait: 8 * time.Second}
			if _, err := client.Run(ctx, addr, Test{Bytes: 100_000}); err != nil {
				t.Errorf("the next client: %v", err)
			}
		})
	}
}

func TestServerToken(t *testing.T) {
	t.Parallel()
	addr, _ := serve(t, &Server{Token: "open sesame"})
	var reported *ServerError
	for _, token := range []string{"", "open"} {
		if _, err := (&Client{Token: token}).Run(context.Background(), addr, Test{Bytes: 1000}); !errors.As(err, &reported) || reported.Code != wire.CodeAuth {
			t.Errorf("token %q: %v", token, err)
		}
	}
	if _, err := (&Client{Token: "open sesame"}).Run(context.Background(), addr, Test{Bytes: 1000}); err != nil {
		t.Error(err)
	}
}

func TestServerLimits(t *testing.T) {
	t.Parallel()
	addr, _ := serve(t, &Server{Limits: Limits{Duration: 2 * time.Second, Streams: 2, Rate: 20e6}})
	for _, c := range []struct {
		test Test
		code int
	}{
		{Test{Duration: 3 * time.Second}, wire.CodeMaxDuration},
		{Test{Duration: 2 * time.Second, Omit: time.Second}, wire.CodeMaxDuration},
		{Test{Streams: 3, Duration: time.Second}, wire.CodeStreams},
		{Test{Rate: 15e6, Streams: 2, Duration: time.Second}, wire.CodeTotalRate},
	} {
		_, err := (&Client{}).Run(context.Background(), addr, c.test)
		var reported *ServerError
		if !errors.As(err, &reported) || reported.Code != c.code {
			t.Errorf("%+v: %v, want error %d", c.test, err, c.code)
		}
	}
	// What the server sends keeps to the limit.
	r := run(t, addr, Test{Reverse: true, Streams: 2, Duration: time.Second})
	if got := float64(r.Streams[0].Bytes+r.Streams[1].Bytes) * 8; got > 22e6 {
		t.Errorf("the server sent %.0f bit/s", got)
	}
}

// A window that the system cuts down is refused, as a stock server does.
func TestServerWindow(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the limit on windows is Linux's")
	}
	addr, _ := serve(t, &Server{})
	var reported *ServerError
	if _, err := (&Client{}).Run(context.Background(), addr, Test{Bytes: 1000, Window: maxWindow}); !errors.As(err, &reported) || reported.Code != wire.CodeSetBufferSmall {
		t.Errorf("a window of %d bytes: %v", maxWindow, err)
	}
	if r := run(t, addr, Test{Bytes: 1000, Window: 64 << 10}); r.Streams[0].Buffer != 64<<10 {
		t.Errorf("a buffer of %d bytes", r.Streams[0].Buffer)
	}
}

func TestRateMeter(t *testing.T) {
	m := rateMeter{limit: 8e6} // a megabyte a second
	for n := range 40 {
		if m.tick(time.Duration(n)*serverTick, int64(n)*250_000) {
			t.Fatalf("at the limit it was exceeded after %d ticks", n)
		}
	}
	exceeded := false
	for n := range 40 {
		exceeded = exceeded || m.tick(10*time.Second+time.Duration(n)*serverTick, 10e6+int64(n)*300_000)
	}
	if !exceeded {
		t.Error("above the limit it was never exceeded")
	}
	if none := (rateMeter{}); none.tick(time.Hour, 1<<50) {
		t.Error("without a limit it was exceeded")
	}
}

// A test that the client does not end is ended.
func TestServerLifetime(t *testing.T) {
	t.Parallel()
	addr, seen := serve(t, &Server{Timeout: 200 * time.Millisecond, Limits: Limits{Duration: 500 * time.Millisecond}})
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	stream(t, addr, enter(conn, `{"tcp":true,"num":1000000000,"time":0,"reverse":true,"bandwidth":8000}`))
	waitFor(t, "the server to end the test", func() bool { return len(seen.all()) == 1 })
	if err := seen.all()[0].Err; !errors.Is(err, errExpired) {
		t.Error(err)
	}
}

// The server never sends UDP to an address that did not open a test.
func TestServerSendsNoUDPUnasked(t *testing.T) {
	t.Parallel()
	addr, _ := serve(t, &Server{})
	for _, stage := range []string{"no test", "a TCP test"} {
		if stage == "a TCP test" {
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			enter(conn, plainParams)
		}
		u := greetOnce(t, addr)
		u.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
		if n, err := u.Read(make([]byte, 100)); err == nil {
			t.Errorf("%s: %d bytes came back", stage, n)
		}
	}
}

func TestServeEndsWithRunningTest(t *testing.T) {
	t.Parallel()
	l := listen(t)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- (&Server{}).Serve(ctx, l) }()
	client := &Client{Progress: func(p Progress) {
		if p.Bytes[0] > 0 {
			cancel()
		}
	}}
	r, err := client.Run(context.Background(), l.Addr().String(), Test{Reverse: true})
	if !errors.Is(err, ErrTerminated) || r == nil || r.Streams[0].Bytes == 0 {
		t.Errorf("%v", err)
	}
	select {
	case err := <-served:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Error("Serve did not end")
	}
}
