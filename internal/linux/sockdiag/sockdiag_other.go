//go:build !linux

package sockdiag

import (
	"errors"
	"fmt"
)

// Connections returns errors.ErrUnsupported.
func Connections() ([]Connection, error) {
	return nil, fmt.Errorf("list TCP connections: %w", errors.ErrUnsupported)
}
