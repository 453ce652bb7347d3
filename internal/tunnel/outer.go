package tunnel

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"time"

	"unchoke/internal/linux/sockdiag"
	"unchoke/internal/record"
)

// outer follows the TCP connection in which a relayed tunnel's packets travel
// from this host to the relay.
type outer struct {
	local  netip.AddrPort // tells the connection from the next one
	series *record.Series // nil until it was found
	cc     string
	named  map[string][]netip.AddrPort // the addresses of each host:port that was looked up
}

// sample reads the connection's TCP_INFO, and has the relay's address from it. Where the
// kernel does not tell, there is no sample: the tunnel's own status stands without.
func (o *outer) sample(ctx context.Context, h host, relay *record.Relay, others []string, at float64) {
	if relay.Transport != "tcp" {
		return
	}
	found := o.find(ctx, h, append([]string{relay.Address}, others...))
	if found.Info == nil {
		return
	}
	if o.series == nil || found.Local != o.local {
		o.series, o.local = &record.Series{Sender: true}, found.Local
	}
	o.cc, relay.Address = found.CC, found.Remote.String()
	o.series.Samples = append(o.series.Samples, record.Sample{At: at, Bytes: int64(found.Info.BytesAcked), Info: *found.Info})
}

// find is the connection to one of a relay's addresses that carried most. Names are looked
// up, once, where none to an address is there.
func (o *outer) find(ctx context.Context, h host, relay []string) (found sockdiag.Connection) {
	offer := func(remote netip.AddrPort) {
		all, err := h.Connections(remote)
		if err != nil {
			return
		}
		for _, c := range all {
			if c.Info != nil && (found.Info == nil || carried(c) > carried(found)) {
				found = c
			}
		}
	}
	var named []string
	for _, a := range relay {
		if remote, err := netip.ParseAddrPort(a); err == nil {
			offer(remote)
		} else {
			named = append(named, a)
		}
	}
	if found.Info != nil {
		return found
	}
	for _, a := range named {
		for _, remote := range o.lookUp(ctx, h, a) {
			offer(remote)
		}
	}
	return found
}

// lookUp finds the addresses of a host:port, none where nobody tells them soon.
func (o *outer) lookUp(ctx context.Context, h host, a string) (all []netip.AddrPort) {
	if known, ok := o.named[a]; ok {
		return known
	}
	if name, port, err := net.SplitHostPort(a); err == nil {
		number, _ := strconv.ParseUint(port, 10, 16) // 0, to which nobody connects, where it is none
		ctx, cancel := context.WithTimeout(ctx, nameTime)
		defer cancel()
		for _, ip := range h.LookUp(ctx, name) {
			all = append(all, netip.AddrPortFrom(ip.Unmap(), uint16(number)))
		}
	}
	if o.named == nil {
		o.named = map[string][]netip.AddrPort{}
	}
	o.named[a] = all
	return all
}

// nameTime is how long the look-up of a name may take.
const nameTime = 300 * time.Millisecond

func carried(c sockdiag.Connection) uint64 { return c.Info.BytesAcked + c.Info.BytesReceived }
