//go:build !linux

package watch

import (
	"context"
	"errors"
	"fmt"

	"unchoke/internal/live"
)

// Sampler exists on Linux alone.
type Sampler struct{}

var errUnsupported = fmt.Errorf("watch this host's connections: %w", errors.ErrUnsupported)

// Open returns errors.ErrUnsupported.
func Open(Options) (*Sampler, error) { return nil, errUnsupported }

// Next returns errors.ErrUnsupported.
func (*Sampler) Next(context.Context) (*live.Snapshot, error) { return nil, errUnsupported }

// Close does nothing.
func (*Sampler) Close() error { return nil }
