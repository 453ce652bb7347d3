package tunnel

import (
	"context"
	"net/netip"

	"unchoke/internal/linux/sockdiag"
	"unchoke/internal/record"
)

// outer follows the TCP connection in which a relayed tunnel's packets travel
// from this host to the relay.
type outer struct {
	local  netip.AddrPort // tells the connection from the next one
	series *record.Series // nil until it was found
	cc     string
	names  names
}

// sample reads the connection's TCP_INFO, and has the relay's address from it. Where the
// kernel does not tell, there is no sample: the tunnel's own status stands without.
func (o *outer) sample(ctx context.Context, h host, relay *record.Relay, others []string, at float64) {
	if relay.Transport != "tcp" {
		return
	}
	addresses := append(others, relay.Address)
	found := busiest(h, addresses)
	if found.Info == nil {
		found = busiest(h, o.names.lookUp(ctx, h, addresses))
	}
	if found.Info == nil {
		return
	}
	if o.series == nil || found.Local != o.local {
		o.series, o.local = &record.Series{Sender: true}, found.Local
	}
	o.cc, relay.Address = found.CC, found.Remote.String()
	o.series.Samples = append(o.series.Samples, record.Sample{At: at, Bytes: int64(found.Info.BytesAcked), Info: *found.Info})
}

// busiest is the connection to one of so many addresses that carried most.
func busiest(h host, addresses []string) (found sockdiag.Connection) {
	for _, a := range addresses {
		remote, err := netip.ParseAddrPort(a)
		if err != nil {
			continue // a name
		}
		all, _ := h.Connections(remote) // none where the kernel does not tell
		for _, c := range all {
			if c.Info != nil && (found.Info == nil || carried(c) > carried(found)) {
				found = c
			}
		}
	}
	return found
}

func carried(c sockdiag.Connection) uint64 { return c.Info.BytesAcked + c.Info.BytesReceived }
