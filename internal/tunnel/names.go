//go:build !slim

package tunnel

import (
	"context"
	"net"
	"net/netip"
	"time"
)

// names are the addresses of relays that are known by name.
type names struct{ known map[string][]string }

// lookUp finds the addresses of each host:port, once: none where nobody tells them soon.
func (n *names) lookUp(ctx context.Context, h host, all []string) (found []string) {
	ctx, cancel := context.WithTimeout(ctx, nameTime)
	defer cancel()
	if n.known == nil {
		n.known = map[string][]string{}
	}
	for _, a := range all {
		name, port, err := net.SplitHostPort(a)
		if _, number := netip.ParseAddr(name); err != nil || number == nil {
			continue
		}
		if _, known := n.known[a]; !known {
			n.known[a] = nil
			for _, ip := range h.LookUp(ctx, name) {
				n.known[a] = append(n.known[a], net.JoinHostPort(ip.Unmap().String(), port))
			}
		}
		found = append(found, n.known[a]...)
	}
	return found
}

// nameTime is how long the look-up of names may take.
const nameTime = 300 * time.Millisecond

func (system) LookUp(ctx context.Context, name string) []netip.Addr {
	all, err := net.DefaultResolver.LookupNetIP(ctx, "ip", name)
	if err != nil {
		return nil
	}
	return all
}
