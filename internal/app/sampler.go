package app

import (
	"context"
	"errors"
	"fmt"

	"unchoke/internal/live"
)

// openSampler begins to look at this host's connections.
func openSampler(context.Context, WatchRequest) (live.Source, func() error, error) {
	return nil, nil, fmt.Errorf("watch this host's connections: %w", errors.ErrUnsupported)
}
