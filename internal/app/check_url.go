//go:build !slim

package app

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"time"

	"unchoke/internal/app/request"
	"unchoke/internal/audit"
	"unchoke/internal/probe/fetch"
	"unchoke/internal/record"
	"unchoke/internal/tunnel"
)

// Web is what a check of a URL is asked beyond any other's. What it says to the
// server is the user's secret: it goes into no record.
type Web struct {
	Header   http.Header
	Cookies  []*fetch.Cookie
	MaxBytes int64 // that may be received; 0 is the default
}

// asked says that something of it was.
func (w Web) asked() bool { return len(w.Header) > 0 || len(w.Cookies) > 0 || w.MaxBytes != 0 }

// checkURL measures the path from a web server.
func (q CheckRequest) checkURL(ctx context.Context) (*record.Run, error) {
	u, err := request.ParseURL(q.Target)
	switch {
	case err != nil:
		return nil, err
	case q.CC != "":
		return nil, request.Refuse("unchoke ab compares algorithms against unchoke serve", "a web server chooses its congestion control itself")
	case q.Web.MaxBytes != 0 && q.Web.MaxBytes < fetch.LeastMaxBytes:
		return nil, request.Refuse("", "max-bytes %d: a check receives at least %d", q.Web.MaxBytes, fetch.LeastMaxBytes)
	}
	run := record.New(record.ShownURL(u), q.Version, time.Now())
	run.Near, run.Warnings = audit.Host()
	carrier := tunnel.Watch(run.Route)
	err = fetch.Check(ctx, run, fetch.Options{
		URL: u, Network: "tcp" + string(q.Family), Agent: "unchoke/" + q.Version,
		Header: q.Web.Header, Cookies: q.Web.Cookies, MaxBytes: q.Web.MaxBytes,
		Budget: q.Budget, Quick: q.Quick, Progress: q.Progress.OrNone(),
		Routed: func(addr netip.Addr) {
			var err error
			if run.Route, err = audit.Route(addr); err != nil {
				run.Warnings = append(run.Warnings, err.Error())
			}
			carrier = tunnel.Watch(run.Route)
		},
	})
	run.Route.Tunnel = carrier.Tunnel()
	run.NICs = audit.NICs(run.Route)
	if err != nil {
		err = fmt.Errorf("check %s: %w", run.Target, err)
	}
	if len(run.Transfers) == 0 && err != nil {
		return nil, err
	}
	q.Save(run, &run.Warnings)
	return run, err
}
