//go:build !linux

package route

import (
	"errors"
	"fmt"
	"net/netip"
)

// Get returns errors.ErrUnsupported.
func Get(addr netip.Addr, _ int) (Route, error) {
	return Route{}, fmt.Errorf("get route to %s: %w", addr, errors.ErrUnsupported)
}
