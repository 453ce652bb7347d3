//go:build !linux

package follow

import (
	"context"
	"errors"
	"fmt"
)

// Follow returns errors.ErrUnsupported.
func Follow(context.Context, Options) (Seen, error) {
	return Seen{}, fmt.Errorf("look at a connection: %w", errors.ErrUnsupported)
}
