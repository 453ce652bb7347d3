//go:build slim

package tunnel

import (
	"context"
	"errors"
	"net/netip"
)

// The build for routers tries no addresses of a relayed peer, and knows relays by number, for
// its size.
func tryable(host, []netip.AddrPort) []netip.AddrPort { return nil }

type names struct{}

func (names) lookUp(context.Context, host, []string) []string { return nil }

func (system) Own() []netip.Addr                           { return nil }
func (system) LookUp(context.Context, string) []netip.Addr { return nil }

// askNebula does not ask, for the build's size.
func askNebula(context.Context, host, query) (state, error) {
	return state{}, errors.New("this build for routers does not ask Nebula")
}
