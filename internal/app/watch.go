package app

import (
	"context"
	"time"

	"unchoke/internal/live"
)

// WatchRequest asks for this host's connections while they run.
type WatchRequest struct {
	Interval time.Duration // between two looks
	Netns    string        // the network namespace to look at: a name of ip netns, a file or a PID; empty for one's own
}

// Watch gives snapshots one after the other, until the caller closes them.
func Watch(ctx context.Context, q WatchRequest) (live.Source, func() error, error) {
	if q.Interval < LeastInterval || q.Interval > LargestInterval {
		return nil, nil, refuse("", "interval %v: it is from %v to %v", q.Interval, LeastInterval, LargestInterval)
	}
	src, closer, err := openSampler(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	return src, closer, nil
}

// The intervals that a watch takes: below, looking costs more than it tells; above,
// what is called lately would be a handful of looks.
const (
	LeastInterval   = 100 * time.Millisecond
	LargestInterval = 10 * time.Second
)
