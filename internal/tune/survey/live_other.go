//go:build !linux

package survey

import (
	"errors"
	"fmt"

	"unchoke/internal/tune"
)

// readLive returns errors.ErrUnsupported.
func readLive(*tune.Facts, tune.Host) error {
	return fmt.Errorf("list devices and routes: %w", errors.ErrUnsupported)
}
