package iperf3

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"
)

// What has to be over before data flows holds the streams back, not the set-up.
func TestReady(t *testing.T) {
	addr, _ := serve(t, &Server{})
	const wait = 100 * time.Millisecond
	ready := 0
	c := Client{Ready: func(context.Context) error {
		ready++
		time.Sleep(wait)
		return nil
	}}
	began := time.Now()
	r, err := c.Run(t.Context(), addr, Test{Bytes: 1000})
	if err != nil || ready != 1 || r.Start.Sub(began) < wait {
		t.Errorf("%v; asked %d times, data flowed after %v", err, ready, r.Start.Sub(began))
	}
}

// A client that is not ready ends the test, and leaves the server free.
func TestNeverReady(t *testing.T) {
	addr, _ := serve(t, &Server{})
	never := errors.New("never")
	c := Client{Ready: func(context.Context) error { return never }}
	if _, err := c.Run(t.Context(), addr, Test{Bytes: 1000}); !errors.Is(err, never) {
		t.Errorf("error %v", err)
	}
	run(t, addr, Test{Bytes: 1000})
}

// Each stream is shown once it is open, as a socket of this host, and still is one.
func TestOpened(t *testing.T) {
	addr, _ := serve(t, &Server{})
	var opened atomic.Int32
	c := Client{Opened: func(conn net.Conn) {
		if tcp, ok := conn.(*net.TCPConn); ok && tcp.SetNoDelay(true) == nil && conn.RemoteAddr().String() == addr {
			opened.Add(1)
		}
	}}
	for _, test := range []Test{{Bytes: 1000, Streams: 3}, {Bytes: 1000, Streams: 3, AtOnce: true, Reverse: true}} {
		opened.Store(0)
		if _, err := c.Run(t.Context(), addr, test); err != nil || opened.Load() != 3 {
			t.Errorf("%v; %d of 3 streams were shown", err, opened.Load())
		}
	}
}

func TestAtOnceRefused(t *testing.T) {
	for name, test := range map[string]Test{
		"UDP":           {Protocol: UDP, AtOnce: true, Rate: 1e6},
		"bidirectional": {Bidirectional: true, AtOnce: true},
	} {
		if _, err := test.withDefaults(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
