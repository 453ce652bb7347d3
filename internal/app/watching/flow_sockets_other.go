//go:build !linux

package watching

import (
	"errors"
	"fmt"

	"unchoke/internal/hint"
)

// socketsOf returns errors.ErrUnsupported.
func socketsOf(int) (map[string]bool, error) {
	return nil, hint.With(fmt.Errorf("find the connections of a process: %w", errors.ErrUnsupported), "connections can be looked at on Linux only")
}
