//go:build !linux

package sockdiag

import (
	"errors"
	"fmt"
	"net/netip"
)

// Connections returns errors.ErrUnsupported.
func Connections() ([]Connection, error) {
	return nil, fmt.Errorf("list TCP connections: %w", errors.ErrUnsupported)
}

// To returns errors.ErrUnsupported.
func To(netip.AddrPort) ([]Connection, error) { return Connections() }

// UDP returns errors.ErrUnsupported.
func UDP() ([]UDPSocket, error) {
	return nil, fmt.Errorf("list UDP sockets: %w", errors.ErrUnsupported)
}
