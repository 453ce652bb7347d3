// Package fetch measures the path from a web server that exists: it downloads a
// URL as a browser would, over one connection, then over several, and samples
// the TCP_INFO of the receiving sockets. What it sees goes into a record; what
// that means is not its business.
//
// Nothing that a server does makes it wait without end or take in more than was
// said: the time of each step, the bytes of the whole, headers, redirects and
// error texts are bounded.
package fetch

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"unchoke/internal/probe/wait"
	"unchoke/internal/record"
)

// Options of a check of a URL.
type Options struct {
	URL *url.URL // http or https
	// Network is "tcp", or "tcp4" or "tcp6" for addresses of one family alone.
	Network string
	Agent   string        // User-Agent
	Header  http.Header   // that the user gave, sent to the URL's own host alone
	Cookies []*Cookie     // that the user's browser has
	Budget  time.Duration // of path time; 0 is DefaultBudget, or QuickBudget
	Quick   bool
	// MaxBytes bounds what is received over all connections; 0 is DefaultMaxBytes.
	MaxBytes int64
	// Routed is told the address to which packets will go, once it is known and
	// before any measurement.
	Routed func(netip.Addr)
	// Progress is told how far the check is (0 to 1) and what it is at.
	Progress func(share float64, what string)
}

// fetcher runs one check and fills its record.
type fetcher struct {
	Options
	run   *record.Run
	fetch *record.Fetch
	start time.Time
	plan  plan
	at    *place // what is measured, once redirects were followed
	rtt   time.Duration
}

// Check measures and fills in the run's Fetch, echoes and transfers. Where it
// fails midway, what was measured stands in the run, its Error set, and the
// error is returned as well.
func Check(ctx context.Context, run *record.Run, o Options) error {
	f := newFetcher(run, o)
	err := f.steps(ctx)
	f.fetch.Problems = append(f.fetch.Problems, f.problems()...)
	if err != nil {
		run.Error, run.Interrupted = err.Error(), ctx.Err() != nil
	}
	return err
}

func newFetcher(run *record.Run, o Options) *fetcher {
	if o.Budget == 0 {
		o.Budget = DefaultBudget
		if o.Quick {
			o.Budget = QuickBudget
		}
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.Progress == nil {
		o.Progress = func(float64, string) {}
	}
	run.Config = record.Config{Quick: o.Quick, Budget: o.Budget.Seconds()}
	run.Fetch = &record.Fetch{URL: record.ShownURL(o.URL), Length: -1, MaxBytes: o.MaxBytes, Addresses: []record.FetchAddress{}, Streams: []record.FetchStream{}, Cookies: len(o.Cookies) > 0, Headers: names(o.Header)}
	return &fetcher{Options: o, run: run, fetch: run.Fetch, start: time.Now(), plan: plan{o.Budget, o.Quick}}
}

// steps are the measurements, in order. What follows one connection is optional:
// it tells more where time and bytes are left.
func (f *fetcher) steps(ctx context.Context) error {
	f.Progress(0, fmt.Sprintf("asking the server; receives at most %s", sizeText(f.MaxBytes)))
	if err := f.ask(ctx); err != nil {
		return f.unlessHole(err)
	}
	f.Progress(0.1, "echo probes, idle")
	if err := f.idle(ctx); err != nil {
		return err
	}
	f.Progress(0.2, "one connection")
	if err := f.one(ctx); err != nil {
		return f.unlessHole(err)
	}
	f.Progress(0.55, "several connections")
	if err := f.many(ctx); err != nil {
		return err
	}
	f.Progress(0.8, "one connection, HTTP/1.1")
	if err := f.older(ctx); err != nil {
		return err
	}
	f.Progress(0.9, "other addresses")
	if err := f.others(ctx); err != nil {
		return err
	}
	f.Progress(1, "done")
	return nil
}

func (f *fetcher) elapsed() time.Duration { return time.Since(f.start) }

func (f *fetcher) left() time.Duration { return f.Budget - f.elapsed() }

func (f *fetcher) skip(step, why string) {
	f.run.Skipped = append(f.run.Skipped, record.Skip{Step: step, Why: why})
}

// rest waits until what an earlier transfer left in queues has drained.
func (f *fetcher) rest(ctx context.Context) error { return wait.For(ctx, settleTime+2*f.rtt) }

// one is the transfer over one connection. Where nothing comes, small segments
// are tried.
func (f *fetcher) one(ctx context.Context) error {
	f.transfer(ctx, order{name: "down-1", connections: 1, time: f.plan.one(), bytes: int64(oneShare * float64(f.MaxBytes))})
	if err := context.Cause(ctx); err != nil {
		return err
	}
	s := f.fetch.StreamsOf("down-1")
	if s[0].Bytes > 0 {
		return nil
	}
	if s[0].End == record.EndOfBytes {
		return refuse("allow more with --max-bytes", "the server has no ranges, and %s are too few to be sure that no more comes", sizeText(f.MaxBytes))
	}
	f.probeSegments(ctx)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return f.nothing(s[0])
}

// many is the transfer over several connections, of different parts of the body
// where the server has ranges.
func (f *fetcher) many(ctx context.Context) error {
	const step = "several connections"
	n, allowed := f.plan.connections(), int64(manyShare*float64(f.leftBytes()))
	switch {
	case f.left() < f.plan.many():
		f.skip(step, fmt.Sprintf("not enough left of the %v of path time", f.Budget))
		return nil
	case allowed < int64(n)*leastPart:
		f.skip(step, fmt.Sprintf("not enough left of the %s that may be received", sizeText(f.MaxBytes)))
		return nil
	case f.fetch.Length >= 0 && f.fetch.Length < int64(n)*leastPart:
		f.skip(step, "the file is too short to be cut into parts")
		return nil
	}
	if err := f.rest(ctx); err != nil {
		return err
	}
	f.transfer(ctx, order{name: fmt.Sprintf("down-%d", n), connections: n, time: f.plan.many(), bytes: allowed, again: true, protocol: http1})
	return context.Cause(ctx)
}

// older is one connection with HTTP/1.1, where the first one had HTTP/2: its
// windows and its multiplexing are a limit of their own.
func (f *fetcher) older(ctx context.Context) error {
	if f.at.protocol != http2 || f.left() < f.plan.older() || f.leftBytes() < leastPart {
		return nil
	}
	if err := f.rest(ctx); err != nil {
		return err
	}
	f.transfer(ctx, order{name: "down-1-http1", connections: 1, time: f.plan.older(), bytes: f.leftBytes() / 2, protocol: http1})
	return context.Cause(ctx)
}

// leftBytes is what may still be received.
func (f *fetcher) leftBytes() int64 { return max(f.MaxBytes-f.fetch.Bytes, 0) }
