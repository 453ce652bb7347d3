//go:build !linux && !darwin

package echo

import (
	"fmt"
	"net/netip"
	"runtime"
)

func openICMP(netip.Addr, int) (method, error) {
	return nil, fmt.Errorf("%w: not implemented on %s", ErrNotPermitted, runtime.GOOS)
}
