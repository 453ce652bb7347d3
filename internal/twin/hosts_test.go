package twin

import (
	"testing"

	"unchoke/internal/path"
	"unchoke/internal/record"
)

// A shaper on the sending host is the bottleneck if it held a stream back, or UDP that then
// arrived. One that is faster than the path meets bursts alone, and floods.
func TestShaper(t *testing.T) {
	cake := func(overlimits, drops, backlog int64) record.QdiscUse {
		return record.QdiscUse{Device: "eth0", Kind: "cake", Root: true, Packets: 1000, Overlimits: overlimits, Drops: drops, Backlog: backlog}
	}
	for name, c := range map[string]struct {
		use  record.QdiscUse
		udp  *record.Rung // nil: a stream
		want bool
	}{
		"holds a stream":                       {cake(900, 0, 9000), nil, true},
		"drops some of it":                     {cake(900, 3, 0), nil, true},
		"met a burst":                          {cake(1, 0, 9000), nil, false},
		"never had a queue":                    {cake(900, 0, 0), nil, false},
		"holds UDP":                            {cake(900, 700, 90000), &record.Rung{Packets: 1700, Lost: 720}, true},
		"holds UDP before a slower bottleneck": {cake(900, 700, 90000), &record.Rung{Packets: 1700, Lost: 1300}, false},
	} {
		r := &record.Run{Route: record.Route{Device: "eth0"}, Transfers: []record.Transfer{
			{Direction: record.Up, UDP: c.udp, Egress: []record.QdiscUse{c.use}},
		}}
		kind, _, found := shaper(r, record.Up)
		if found != c.want || found && kind != path.ShapeCake {
			t.Errorf("%s: %q, %t", name, kind, found)
		}
	}
}

// One packet that waited for a faster shaper of the own card leaves the bottleneck as it was
// measured.
func TestFasterShaperIsNoBottleneck(t *testing.T) {
	run := load(t, "loss-limited--wireguard-up")
	before, err := Of(run)
	if err != nil {
		t.Fatal(err)
	}
	for i := range run.Transfers {
		if x := &run.Transfers[i]; x.Direction == record.Up {
			x.Egress = []record.QdiscUse{{Device: run.Route.Device, Kind: "cake", Root: true, Packets: 20000, Overlimits: 1}}
		}
	}
	after, err := Of(run)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := after.Path().String(), before.Path().String(); a != b {
		t.Errorf("the path is %s, was %s", a, b)
	}
}
