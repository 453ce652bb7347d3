package host

import (
	"fmt"
	"net"
	"net/netip"
	"os"

	"unchoke/internal/linux/route"
	"unchoke/internal/tune"
)

// routes are the routing tables, of which only the congestion control changes.
type routes struct{}

func (routes) read(key string) (*string, error) {
	e, err := findRoute(key)
	if e == nil || err != nil {
		return nil, err
	}
	return tune.Encode(tune.RouteValue{CC: e.CC, Message: e.Message}), nil
}

// write gives the route as it is now the value's congestion control. Whoever
// made the route may have changed the rest of it since it was read.
func (routes) write(key string, value *string) error {
	v, err := tune.Decode[tune.RouteValue](value)
	if err != nil {
		return fmt.Errorf("change route %s: %w", key, err)
	}
	e, err := findRoute(key)
	switch {
	case err != nil:
		return err
	case e == nil && v == nil:
		return nil
	case e == nil || v == nil:
		return fmt.Errorf("change route %s: routes are neither made nor removed", key)
	case e.Shared:
		return shared(key)
	}
	return e.SetCC(v.CC)
}

func (routes) writable(key string) error {
	if err := administrator("change route " + key); err != nil {
		return err
	}
	if e, err := findRoute(key); err != nil || e == nil || !e.Shared {
		return err
	}
	return shared(key)
}

func shared(key string) error { return fmt.Errorf("change route %s: %w", key, tune.ErrSharedRoute) }

// findRoute is nil where there is no such route.
func findRoute(key string) (*route.Entry, error) {
	k, err := tune.ParseRouteKey(key)
	if err != nil {
		return nil, err
	}
	prefix, err := netip.ParsePrefix(k.Prefix)
	if err != nil {
		return nil, fmt.Errorf("find route %s: %w", key, err)
	}
	dev, err := net.InterfaceByName(k.Device)
	if err != nil {
		return nil, nil // the device is gone, and its routes with it
	}
	entries, err := route.List()
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Prefix == prefix && e.Index == dev.Index && e.Table == k.Table && e.Metric == k.Metric && e.TOS == k.TOS {
			return &e, nil
		}
	}
	return nil, nil
}

// administrator returns nil where this process may change the network: as
// root, whose rights a container may have cut down all the same.
func administrator(what string) error {
	if os.Geteuid() != 0 {
		return fmt.Errorf("%s: %w", what, os.ErrPermission)
	}
	return nil
}
