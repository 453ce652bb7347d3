package tunnel

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"unchoke/internal/linux/sockdiag"
	"unchoke/internal/record"
	"unchoke/tcpinfo"
)

type connections struct {
	host
	all    []sockdiag.Connection
	err    error
	names  map[string]string // addresses by name
	looked *int              // how often a name was looked up
}

func (c connections) Connections(remote netip.AddrPort) (found []sockdiag.Connection, err error) {
	for _, x := range c.all {
		if x.Remote == remote {
			found = append(found, x)
		}
	}
	return found, c.err
}

func (c connections) LookUp(_ context.Context, name string) []netip.Addr {
	if c.looked != nil {
		*c.looked++
	}
	if a, err := netip.ParseAddr(c.names[name]); err == nil {
		return []netip.Addr{a}
	}
	return nil
}

// connection is one from a local port to a relay, which acknowledged so many bytes.
func connection(port uint16, relay string, acked uint64) sockdiag.Connection {
	return sockdiag.Connection{
		Local: netip.AddrPortFrom(netip.MustParseAddr("10.0.0.1"), port), Remote: netip.MustParseAddrPort(relay),
		CC: "cubic", Info: &tcpinfo.Info{BytesAcked: acked},
	}
}

func TestOuter(t *testing.T) {
	const address = "198.51.100.8:443"
	var o outer
	sample := func(h host, relay record.Relay, at float64) { o.sample(t.Context(), h, &relay, nil, at) }
	relay := record.Relay{Address: address, Transport: "tcp"}
	sample(connections{err: errors.New("no")}, relay, 0)
	sample(connections{all: []sockdiag.Connection{{Remote: netip.MustParseAddrPort(address)}}}, relay, 0) // a kernel that tells nothing
	sample(connections{all: []sockdiag.Connection{connection(1, address, 5)}}, record.Relay{Address: address, Transport: "quic"}, 0)
	sample(connections{all: []sockdiag.Connection{connection(1, address, 5)}}, record.Relay{Address: "relay.example:443", Transport: "tcp"}, 0)
	sample(connections{all: []sockdiag.Connection{connection(1, address, 5)}}, record.Relay{Address: "relay", Transport: "tcp"}, 0)
	if o.series != nil {
		t.Fatalf("%+v", o.series)
	}
	sample(connections{all: []sockdiag.Connection{connection(1, address, 5), connection(2, address, 50)}}, relay, 1)
	sample(connections{all: []sockdiag.Connection{connection(2, address, 60)}}, relay, 2)
	if s := o.series.Samples; o.cc != "cubic" || len(s) != 2 || s[1].At != 2 || s[1].Bytes != 60 {
		t.Errorf("%+v", o)
	}
	first := o.series
	sample(connections{all: []sockdiag.Connection{connection(3, address, 1)}}, relay, 3) // it connected anew
	if len(o.series.Samples) != 1 || len(first.Samples) != 2 {
		t.Errorf("counters of two connections are in one series: %+v", o.series)
	}
}

// A relay has several addresses: the connection that carries most is the one.
func TestOuterOfSeveralAddresses(t *testing.T) {
	const v4, v6 = "198.51.100.8:443", "[2001:db8::8]:443"
	for want, all := range map[string][]sockdiag.Connection{
		v6: {connection(1, v4, 5), connection(2, v6, 50)},
		v4: {connection(1, v4, 5), connection(2, "192.0.2.1:443", 50)},
	} {
		var o outer
		relay := record.Relay{Address: v4, Transport: "tcp"}
		o.sample(t.Context(), connections{all: all}, &relay, []string{v6, "derp.example:443"}, 1)
		if relay.Address != want || o.series == nil {
			t.Errorf("%s, want %s: %+v", relay.Address, want, o.series)
		}
	}
}

// Where there is no such connection, the record says so.
func TestOuterNotFound(t *testing.T) {
	for transport, want := range map[string]int{"tcp": 1, "quic": 0} {
		w := watcher(actor{}, "tailscale0", "tun", "100.101.1.1", "100.101.1.2")
		w.source.ask = func(context.Context, host, query) (state, error) {
			return state{via: record.Relayed, relay: record.Relay{Name: "nyc", Transport: transport}}, nil
		}
		w.Look(t.Context(), 0)
		w.Look(t.Context(), time.Second)
		if got := w.Tunnel().Unknown; len(got) != want {
			t.Errorf("%s: %q", transport, got)
		}
	}
}
