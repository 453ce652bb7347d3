//go:build !linux

package app

import (
	"errors"
	"fmt"
)

// socketsOf returns errors.ErrUnsupported.
func socketsOf(int) (map[string]bool, error) {
	return nil, &hinted{fmt.Errorf("find the connections of a process: %w", errors.ErrUnsupported), "connections can be looked at on Linux only"}
}
