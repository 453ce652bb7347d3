package app

import (
	"context"

	"unchoke/internal/live"
	"unchoke/internal/watch"
)

// openSampler begins to look at this host's connections.
func openSampler(_ context.Context, q WatchRequest) (live.Source, func() error, error) {
	s, err := watch.Open(watch.Options{Interval: q.Interval, Netns: q.Netns})
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}
