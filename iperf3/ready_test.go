package iperf3

import (
	"context"
	"errors"
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
