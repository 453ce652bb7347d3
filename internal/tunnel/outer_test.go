package tunnel

import (
	"errors"
	"net/netip"
	"testing"

	"unchoke/internal/linux/sockdiag"
	"unchoke/internal/record"
	"unchoke/tcpinfo"
)

type connections struct {
	host
	all []sockdiag.Connection
	err error
}

func (c connections) Connections(netip.AddrPort) ([]sockdiag.Connection, error) { return c.all, c.err }

func TestOuter(t *testing.T) {
	relay := record.Relay{Address: "198.51.100.8:443", Transport: "tcp"}
	connection := func(port uint16, acked uint64) sockdiag.Connection {
		return sockdiag.Connection{Local: netip.AddrPortFrom(netip.MustParseAddr("10.0.0.1"), port), CC: "cubic", Info: &tcpinfo.Info{BytesAcked: acked}}
	}
	var o outer
	o.sample(connections{err: errors.New("no")}, relay, 0)
	o.sample(connections{all: []sockdiag.Connection{{}}}, relay, 0) // a kernel that tells nothing
	o.sample(connections{all: []sockdiag.Connection{connection(1, 5)}}, record.Relay{Address: relay.Address, Transport: "quic"}, 0)
	o.sample(connections{all: []sockdiag.Connection{connection(1, 5)}}, record.Relay{Address: "relay.example:443", Transport: "tcp"}, 0)
	if o.series != nil {
		t.Fatalf("%+v", o.series)
	}
	o.sample(connections{all: []sockdiag.Connection{connection(1, 5), connection(2, 50)}}, relay, 1)
	o.sample(connections{all: []sockdiag.Connection{connection(2, 60)}}, relay, 2)
	if s := o.series.Samples; o.cc != "cubic" || len(s) != 2 || s[1].At != 2 || s[1].Bytes != 60 {
		t.Errorf("%+v", o)
	}
	first := o.series
	o.sample(connections{all: []sockdiag.Connection{connection(3, 1)}}, relay, 3) // it connected anew
	if len(o.series.Samples) != 1 || len(first.Samples) != 2 {
		t.Errorf("counters of two connections are in one series: %+v", o.series)
	}
}
