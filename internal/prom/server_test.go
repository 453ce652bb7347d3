package prom

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"unchoke/internal/live/livetest"
)

func TestServe(t *testing.T) {
	o := options
	o.Top = 100
	e := New(o)
	e.Observe(at(0, livetest.Flows(50, 1)...))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- e.Serve(ctx, l) }()
	for _, c := range []struct {
		method, path string
		status       int
		holds        string
	}{
		{"GET", "/metrics", 200, `unchoke_tcp_flows{algorithm="bbr",service_port="443",unit="nginx.service",verdict="healthy"}`},
		{"GET", "/", 200, `href="/metrics"`},
		{"GET", "/debug/pprof/", 404, ""},
		{"POST", "/metrics", 405, ""},
		{"PUT", "/", 405, ""},
	} {
		r, err := http.NewRequestWithContext(ctx, c.method, "http://"+l.Addr().String()+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != c.status || !strings.Contains(string(body), c.holds) {
			t.Errorf("%s %s: %s, %v, want %q in\n%.2000s", c.method, c.path, answer.Status, err, c.holds, body)
		}
		if strings.ContainsAny(string(body), "\x1b\u202e\x00") {
			t.Errorf("%s %s: a process name draws", c.method, c.path)
		}
	}
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Error("it still serves")
	}
}
