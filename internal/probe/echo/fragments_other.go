//go:build !linux

package echo

import "net/netip"

// MTU is not known: only Linux tells.
func MTU(netip.Addr) int { return 0 }
