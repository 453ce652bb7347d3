package iperf3

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"unchoke/iperf3/internal/wire"
)

// besiegers are what strangers without the token do with a connection. None
// ends it: the connection is read from until the server closes it.
var besiegers = map[string]func(net.Conn){
	"say nothing":          func(net.Conn) {},
	"send half a cookie":   func(c net.Conn) { c.Write(make([]byte, wire.CookieSize/2)) },
	"send a cookie":        sendCookie,
	"send half a length":   func(c net.Conn) { sendCookie(c); c.Write([]byte{0, 0}) },
	"send half parameters": func(c net.Conn) { sendCookie(c); sendFrame(c, 1000, `{"tcp":true,`) },
	"dribble parameters": func(c net.Conn) {
		sendCookie(c)
		for _, err := c.Write([]byte{0, 0, 0x3f, 0}); err == nil; _, err = c.Write([]byte(" ")) {
			time.Sleep(100 * time.Millisecond)
		}
	},
	"announce 4 GB":       func(c net.Conn) { sendCookie(c); sendFrame(c, 1<<32-1, "{") },
	"send garbage":        func(c net.Conn) { c.Write(payload()[:4096]) },
	"are web browsers":    func(c net.Conn) { io.WriteString(c, "GET / HTTP/1.1\r\nHost: far\r\nUser-Agent: x\r\n\r\n") },
	"send no token":       func(c net.Conn) { sendParams(c, plainParams) },
	"send a wrong token":  func(c net.Conn) { sendParams(c, `{"tcp":true,"time":1,"authtoken":"open"}`) },
	"send a null token":   func(c net.Conn) { sendParams(c, `{"tcp":true,"time":1,"authtoken":null}`) },
	"want UDP":            func(c net.Conn) { sendParams(c, `{"udp":true,"time":86400,"reverse":true,"bandwidth":0}`) },
	"go on as if allowed": func(c net.Conn) { sendParams(c, plainParams); c.Write([]byte{1, 2, 4, 13, 16}) },
}

func sendCookie(c net.Conn) {
	id := newCookie()
	c.Write(id[:])
}

func sendFrame(c net.Conn, size uint32, doc string) {
	c.Write(append(binary.BigEndian.AppendUint32(nil, size), doc...))
}

func sendParams(c net.Conn, doc string) {
	sendCookie(c)
	sendFrame(c, uint32(len(doc)), doc)
}

// besiege keeps so many connections to the address until the test ends, in
// equal parts of each kind.
func besiege(t *testing.T, addr string, connections int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	t.Cleanup(func() { cancel(); all.Wait() })
	var kinds []func(net.Conn)
	for _, kind := range besiegers {
		kinds = append(kinds, kind)
	}
	var begun atomic.Int64
	for n := range connections {
		all.Go(func() {
			for first := true; ctx.Err() == nil; first = false {
				conn, err := net.DialTimeout("tcp", addr, 5*time.Second)
				if first {
					begun.Add(1)
				}
				if err == nil {
					stop := context.AfterFunc(ctx, func() { conn.Close() })
					kinds[n%len(kinds)](conn)
					io.Copy(io.Discard, conn)
					stop()
					conn.Close()
				}
				select { // so many as well a second, not the whole of this host's time
				case <-ctx.Done():
				case <-time.After(time.Second):
				}
			}
		})
	}
	waitFor(t, "the strangers to connect", func() bool { return begun.Load() == int64(connections) })
}

// One address cannot hold the server shut to another that has the token.
func TestServerBesieged(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("a second address of this host, 127.0.0.2, is Linux's")
	}
	addr, seen := serve(t, &Server{Token: "open sesame"})
	before := runtime.NumGoroutine()
	besiege(t, addr, 1000)
	client := Client{Token: "open sesame", Dialer: &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}}
	var slowest time.Duration
	for n := range 20 {
		test := []Test{{Bytes: 1000}, {Bytes: 1000, Reverse: true, Streams: 4}, {Bytes: 1000, Protocol: UDP, Rate: 1e6}}[n%3]
		start := time.Now()
		if _, err := client.Run(context.Background(), addr, test); err != nil {
			t.Fatalf("test %d after %v: %v", n, time.Since(start), err)
		}
		slowest = max(slowest, time.Since(start))
	}
	t.Logf("the slowest of 20 tests took %v", slowest)
	if slowest >= time.Second {
		t.Errorf("a test took %v", slowest)
	}
	// What the strangers hold is bounded: of each two goroutines here, one is
	// the server's. On a busy machine some that end are still to run.
	waitFor(t, "the server to hold few of 1,000 strangers", func() bool {
		return runtime.NumGoroutine()-before-1000 <= 2*maxLobbyEach+20
	})
	for _, v := range seen.all() {
		if v.Err != nil && !errors.Is(v.Err, errToken) && !errors.Is(v.Err, errBusy) {
			t.Errorf("%s: %v", v.Client, v.Err)
		}
	}
}

// The deadline for the set-up is one for all of it: a client that does a little
// at a time gets no further.
func TestServerSetUpDeadline(t *testing.T) {
	t.Parallel()
	const timeout = 500 * time.Millisecond
	slowly := func(c net.Conn, p []byte) {
		for _, b := range p {
			if _, err := c.Write([]byte{b}); err != nil {
				return
			}
			time.Sleep(timeout / 40)
		}
	}
	for name, c := range map[string]struct {
		params string // where the client gets so far at once
		do     func(addr string, c net.Conn, id wire.Cookie)
		limit  time.Duration
	}{
		"cookie, then parameters": {"", func(_ string, c net.Conn, id wire.Cookie) {
			slowly(c, id[:]) // takes nine tenths of the time
			slowly(c, []byte("\x00\x00\x00\x2a"+plainParams))
		}, timeout},
		"streams": {`{"tcp":true,"time":1,"parallel":10}`, func(addr string, _ net.Conn, id wire.Cookie) {
			for range 10 {
				stream(t, addr, id)
				time.Sleep(timeout * 2 / 3)
			}
		}, 2 * timeout}, // a tenth for each
		"UDP streams": {`{"udp":true,"time":1,"parallel":10}`, func(addr string, _ net.Conn, _ wire.Cookie) {
			for range 10 {
				greetOnce(t, addr)
				time.Sleep(timeout * 2 / 3)
			}
		}, 2 * timeout},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr, _ := serve(t, &Server{Timeout: timeout})
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			start := time.Now()
			id := newCookie()
			if c.params != "" {
				id = enter(conn, c.params)
			}
			var acting sync.WaitGroup
			defer acting.Wait()
			acting.Go(func() { c.do(addr, conn, id) })
			conn.SetReadDeadline(time.Now().Add(10 * time.Second))
			_, err = io.Copy(io.Discard, conn)
			if took := time.Since(start); took > c.limit+timeout*3/2 || errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("the server hung up after %v: %v", took, err)
			}
		})
	}
}
