// Package watching has the connections of this host while they run: looks at all
// of them, one after the other, from the kernel or from a recording, and a long
// look at one.
package watching

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"time"

	"unchoke/internal/app/request"
	"unchoke/internal/diagnose"
	"unchoke/internal/live"
	"unchoke/internal/live/filter"
	"unchoke/internal/live/tape"
)

// Request asks for this host's connections while they run.
type Request struct {
	Interval time.Duration // between two looks
	Netns    string        // the network namespace to look at: a name of ip netns, a file or a PID; empty for one's own
	Filter   filter.Filter // which flows the snapshots have
	// Tape is a recording to be played instead; the caller closes it.
	Tape *Tape
	// Record is a file to which what passes the filter is recorded; empty for
	// none. Version is that of unchoke, for it.
	Record, Version string
}

// Watch gives snapshots one after the other, until the caller closes them, which
// ends a recording too.
func Watch(ctx context.Context, q Request) (live.Source, func() error, error) {
	src, closer, err := watched(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	src = filtered{judged{src}, q.Filter}
	if q.Record == "" {
		return src, closer, nil
	}
	host, _ := os.Hostname() // else it is recorded as that of none
	r, err := startRecorder(src, q.Record, tape.Info{Host: host, Version: q.Version, Filter: q.Filter.String(), Interval: q.Interval.Seconds()})
	if err != nil {
		return nil, nil, errors.Join(err, closer())
	}
	return r, func() error { return errors.Join(r.close(), closer()) }, nil
}

// watched is the tape or the sampler.
func watched(ctx context.Context, q Request) (live.Source, func() error, error) {
	if q.Tape != nil {
		return q.Tape, func() error { return nil }, nil
	}
	return openSampler(ctx, q)
}

// judged gives each flow of a source its verdict.
type judged struct{ live.Source }

func (s judged) Next(ctx context.Context) (*live.Snapshot, error) {
	snap, err := s.Source.Next(ctx)
	if err != nil {
		return nil, err
	}
	for i := range snap.Flows {
		diagnose.Live(&snap.Flows[i])
	}
	return snap, nil
}

// filtered has those flows of a source that pass.
type filtered struct {
	live.Source
	filter filter.Filter
}

func (s filtered) Next(ctx context.Context) (*live.Snapshot, error) {
	snap, err := s.Source.Next(ctx)
	if err != nil {
		return nil, err
	}
	return s.filter.Apply(snap), nil
}

// ParseFilter reads a filter in which services and hosts may go by their names.
// A filter that cannot be read is a *Error.
func ParseFilter(ctx context.Context, text string) (filter.Filter, error) {
	f, err := filter.Parse(text, filter.Names{
		Port: func(service string) (uint16, error) {
			port, err := net.DefaultResolver.LookupPort(ctx, "tcp", service)
			return uint16(port), err
		},
		Host: func(name string) ([]netip.Addr, error) {
			ctx, cancel := context.WithTimeout(ctx, lookUpTime)
			defer cancel()
			return net.DefaultResolver.LookupNetIP(ctx, "ip", name)
		},
	})
	if err != nil {
		return f, &request.Error{Err: err}
	}
	return f, nil
}

// lookUpTime is how long a name in a filter may take: somebody waits for it.
const lookUpTime = 5 * time.Second
