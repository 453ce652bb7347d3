package watching

import (
	"context"
	"errors"
	"io/fs"

	"unchoke/internal/app/request"
	"unchoke/internal/hint"
	"unchoke/internal/linux/sockdiag"
	"unchoke/internal/live"
	"unchoke/internal/watch"
)

// openSampler begins to look at this host's connections.
func openSampler(_ context.Context, q Request) (live.Source, func() error, error) {
	if q.Interval < watch.Shortest || q.Interval > watch.Longest {
		return nil, nil, request.Refuse("", "interval %v: it is from %v to %v", q.Interval, watch.Shortest, watch.Longest)
	}
	s, err := watch.Open(watch.Options{Interval: q.Interval, Netns: q.Netns, Match: sockdiag.Match(q.Filter.Bounds())})
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil, nil, hint.With(err, "connections can be watched on Linux only; a recording can be replayed everywhere")
	case q.Netns != "" && errors.Is(err, fs.ErrNotExist):
		return nil, nil, &request.Error{Err: err, Next: "ip netns list shows those with a name; a file or a process ID works as well"}
	case q.Netns != "" && errors.Is(err, fs.ErrPermission):
		return nil, nil, hint.With(err, "another network namespace is for root: sudo unchoke watch --netns "+q.Netns)
	case err != nil:
		return nil, nil, err
	}
	return s, s.Close, nil
}
