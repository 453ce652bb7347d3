package prom

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// index is the page at the root, for a person who looks there.
const index = `<!doctype html><html lang="en"><title>unchoke</title><h1>unchoke watch</h1><p><a href="/metrics">Metrics</a></p></html>
`

// Handler serves GET /metrics and a page that leads there.
func (e *Exporter) Handler() http.Handler {
	metrics := promhttp.HandlerFor(e.registry, promhttp.HandlerOpts{
		EnableOpenMetrics: true,
		// A server and a person at a time; each answer holds all series in memory.
		MaxRequestsInFlight: 4,
		Timeout:             9 * time.Second, // before Prometheus's own 10 s
	})
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", "default-src 'none'")
		_, _ = w.Write([]byte(index)) // a reader that has gone
	})
	return mux
}

// Serve answers on a listener until ctx is done, and closes it.
func (e *Exporter) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           e.Handler(),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second,
		WriteTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 16 << 10,
	}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(l); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve metrics on %v: %w", l.Addr(), err)
	}
	return nil
}
