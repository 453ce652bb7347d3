//go:build !linux

package apply

import (
	"errors"
	"net/netip"

	"unchoke/internal/linux/sockdiag"
)

// Kernel is the Probe of the running kernel.
type Kernel struct{}

// NewConnection returns errors.ErrUnsupported.
func (Kernel) NewConnection(netip.Addr) (string, error) { return "", errors.ErrUnsupported }

// Device knows none.
func (Kernel) Device(netip.Addr) string { return "" }

// Connections returns errors.ErrUnsupported.
func (Kernel) Connections() ([]sockdiag.Connection, error) { return nil, errors.ErrUnsupported }
