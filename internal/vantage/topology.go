package vantage

import (
	"fmt"
	"net/netip"
)

// network is which places lie on which others' ways.
type network struct {
	passes map[*view]*view // the next place on a place's way; absent where none is known
	how    map[*view]string
	trust  map[*view]float64
	views  []*view
	tops   int // places with no other on their way
}

// networkOf reads it off addresses: a place that is another's gateway lies on its
// way, and so does one from whose address the target sees the other's
// connections come.
func networkOf(views []*view) *network {
	n := &network{passes: map[*view]*view{}, how: map[*view]string{}, trust: map[*view]float64{}, views: views}
	for _, v := range views {
		for _, other := range views {
			if other == v || n.leads(other, v) {
				continue
			}
			how, trust := onWay(v, other)
			// Of two that lie on its way the gateway is the nearer one.
			if trust > n.trust[v] {
				n.passes[v], n.how[v], n.trust[v] = other, how, trust
			}
		}
	}
	for _, v := range views {
		if n.passes[v] == nil {
			n.tops++
		}
	}
	return n
}

// onWay says whether, and how surely, other lies on the way from v.
func onWay(v, other *view) (how string, trust float64) {
	if v.nearer(other) {
		return "", 0 // nobody is nearer to the target than what its packets pass
	}
	if gateway, err := netip.ParseAddr(v.last().Route.Gateway); err == nil {
		for _, p := range other.addresses() {
			if p.Addr() == gateway && p.Masked().Contains(v.source()) && !contradicted(v, other) {
				return fmt.Sprintf("its gateway %s is an address of %s", gateway, other.seen.Name), byGateway
			}
		}
	}
	if from, ok := v.translated(); ok {
		for _, p := range other.addresses() {
			if p.Addr() == from {
				return fmt.Sprintf("the target sees it come from %s, an address of %s", from, other.seen.Name), byTranslation
			}
		}
	}
	return "", 0
}

// contradicted says that the target sees the two come from different networks,
// so that a gateway's private address is another host's with the same number.
func contradicted(v, other *view) bool {
	from, translated := v.translated()
	if !translated {
		return false
	}
	if theirs, ok := other.translated(); ok {
		return theirs != from
	}
	for _, p := range other.addresses() {
		if p.Addr() == from {
			return false
		}
	}
	return true
}

// nearer says that the target answers a place sooner than another, by more than
// the rounds differ.
func (v *view) nearer(other *view) bool {
	a, b := v.seen.RTT, other.seen.RTT
	const noise = 200e-6 // seconds: two hosts' timers and interrupts
	return a.Rounds > 0 && b.Rounds > 0 && a.High+noise < b.Low
}

// leads says that the way from a place passes another, across any number.
func (n *network) leads(from, to *view) bool {
	for at := n.passes[from]; at != nil; at = n.passes[at] {
		if at == to {
			return true
		}
	}
	return false
}

// names are the places on a place's way.
func (n *network) names(v *view) []string {
	out := []string{}
	for at := n.passes[v]; at != nil; at = n.passes[at] {
		out = append(out, at.seen.Name)
	}
	return out
}

// top is the last place on a place's way: itself where it passes none.
func (n *network) top(v *view) *view {
	for n.passes[v] != nil {
		v = n.passes[v]
	}
	return v
}

// way is the segments from a place to the target, in order. Where all ways lead
// through one place, what lies behind it is common to all.
func (n *network) way(v *view) []Segment {
	out := []Segment{AtPlace(v.seen.Name)}
	for ; n.passes[v] != nil; v = n.passes[v] {
		out = append(out, Between(v.seen.Name, n.passes[v].seen.Name))
	}
	if n.tops > 1 {
		out = append(out, OwnWay(v.seen.Name))
	}
	return append(out, BeyondAll(), AtTarget())
}

// certainty is how sure the relations on the ways of places are.
func (n *network) certainty(places []*view) float64 {
	c := 1.0
	for _, v := range places {
		for at := v; n.passes[at] != nil; at = n.passes[at] {
			c = min(c, n.trust[at])
		}
	}
	return c
}
