package vantage

import (
	"slices"
	"testing"

	"unchoke/internal/record"
)

// hostAt is a view of a place by its addresses and its round trip alone.
func hostAt(name, source, gateway, sees string, rtt float64, addresses ...string) *view {
	r := &record.Run{
		Near: record.Host{Addresses: addresses}, Far: record.Peer{Sees: sees},
		Route: record.Route{Source: source, Gateway: gateway},
	}
	v := &view{seen: Seen{Name: name}, runs: []*record.Run{r}}
	v.seen.RTT = figureOf([]float64{rtt, rtt})
	return v
}

func TestWays(t *testing.T) {
	pc := hostAt("pc", "192.168.1.5", "192.168.1.1", "203.0.113.9", 0.031, "192.168.1.5/24")
	router := hostAt("router", "203.0.113.9", "203.0.113.1", "203.0.113.9", 0.030, "192.168.1.1/24", "203.0.113.9/24")
	// Another home with the same private numbers.
	other := hostAt("other", "198.51.100.7", "198.51.100.1", "198.51.100.7", 0.020, "192.168.1.1/24", "198.51.100.7/24")
	n := networkOf([]*view{pc, router, other})
	if got := n.names(pc); !slices.Equal(got, []string{"router"}) {
		t.Errorf("the PC passes %v", got)
	}
	if n.tops != 2 {
		t.Errorf("%d tops", n.tops)
	}
	n = networkOf([]*view{pc, other})
	if got := n.names(pc); len(got) > 0 {
		t.Errorf("the PC passes another home's router: %v", got)
	}

	// Double NAT: the PC's gateway is no place, the outer router is.
	inner := hostAt("pc", "10.0.0.5", "10.0.0.1", "203.0.113.9", 0.032, "10.0.0.5/24")
	n = networkOf([]*view{inner, router})
	if got := n.names(inner); !slices.Equal(got, []string{"router"}) {
		t.Errorf("behind two routers the PC passes %v", got)
	}

	// A place nearer to the target than its gateway does not pass it.
	n = networkOf([]*view{hostAt("pc", "192.168.1.5", "192.168.1.1", "", 0.010, "192.168.1.5/24"), router})
	if n.tops != 2 {
		t.Error("a nearer place passes a farther one")
	}
}

func TestCandidates(t *testing.T) {
	pc := hostAt("pc", "192.168.1.5", "192.168.1.1", "", 0.031, "192.168.1.5/24")
	router := hostAt("router", "203.0.113.9", "203.0.113.1", "", 0.030, "192.168.1.1/24")
	cloud := hostAt("cloud", "198.51.100.7", "198.51.100.1", "", 0.020, "198.51.100.7/24")
	n := networkOf([]*view{pc, router, cloud})
	for _, c := range []struct {
		said map[*view]tells
		want Segment
		sure bool
	}{
		{map[*view]tells{pc: affected, router: clean, cloud: clean}, Between("pc", "router"), true},
		{map[*view]tells{pc: clean, router: affected, cloud: clean}, AtPlace("router"), true},
		{map[*view]tells{pc: affected, router: affected, cloud: clean}, OwnWay("router"), true},
		{map[*view]tells{pc: affected, router: affected, cloud: affected}, BeyondAll(), true},
		{map[*view]tells{pc: affected, router: affected, cloud: silent}, Segment{Kind: KindUnclear}, false},
		{map[*view]tells{pc: affected, router: silent, cloud: clean}, Segment{Kind: KindUnclear}, false},
	} {
		got, sure := onPath(n.candidates(c.said))
		if got != c.want || sure != c.sure {
			t.Errorf("%v: %v, %v, want %v", c.said, got, sure, c.want)
		}
	}
	if left := n.candidates(map[*view]tells{pc: affected, router: clean, cloud: affected}); len(left) > 0 {
		t.Errorf("no one segment affects the PC and the cloud and not the router: %v", left)
	}
}
