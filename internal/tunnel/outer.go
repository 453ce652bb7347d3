package tunnel

import (
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
}

// sample reads the connection's TCP_INFO. Where there are several to the relay
// it is the one that carried most. Where the kernel does not tell, there is no
// sample: the tunnel's own status stands without.
func (o *outer) sample(h host, relay record.Relay, at float64) {
	remote, err := netip.ParseAddrPort(relay.Address)
	if err != nil || relay.Transport != "tcp" {
		return
	}
	all, err := h.Connections(remote)
	if err != nil {
		return
	}
	var found sockdiag.Connection
	for _, c := range all {
		if c.Info != nil && (found.Info == nil || carried(c) > carried(found)) {
			found = c
		}
	}
	if found.Info == nil {
		return
	}
	if o.series == nil || found.Local != o.local {
		o.series, o.local = &record.Series{Sender: true}, found.Local
	}
	o.cc = found.CC
	o.series.Samples = append(o.series.Samples, record.Sample{At: at, Bytes: int64(found.Info.BytesAcked), Info: *found.Info})
}

func carried(c sockdiag.Connection) uint64 { return c.Info.BytesAcked + c.Info.BytesReceived }
