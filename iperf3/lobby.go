package iperf3

import (
	"net"
	"net/netip"
	"slices"
	"sync"
)

// A lobby holds the connections that have not proved yet that they may take
// the server's time: they have sent neither the cookie of the running test nor
// parameters that the server accepts. The server has no token from them, so it
// trusts none, and it never closes the door on a newcomer because of them. A
// newcomer that finds the lobby full takes the place of the oldest connection
// of its own origin, or of the origin that holds the most places. An honest
// client stays for two round trips, so its place is among the youngest.
//
// The zero value is an empty lobby.
type lobby struct {
	mu     sync.Mutex
	places map[netip.Prefix][]*place // by origin, oldest first
	taken  int
	turn   uint64
}

const (
	// maxLobby bounds the file descriptors and the memory that strangers hold.
	maxLobby = 512
	// maxLobbyEach bounds those of one origin. A client that opens the streams
	// of a test all at once needs some: their cookies may be under way.
	maxLobbyEach = 64
)

// A place is one connection's in a lobby.
type place struct {
	lobby  *lobby
	origin netip.Prefix
	turn   uint64
	evict  func()
	gone   bool
}

// enter takes a place, if need be that of another, whose evict it calls.
func (l *lobby) enter(from netip.Prefix, evict func()) *place {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.places == nil {
		l.places = map[netip.Prefix][]*place{}
	}
	switch {
	case len(l.places[from]) >= maxLobbyEach:
		l.remove(l.places[from][0]).evict()
	case l.taken >= maxLobby:
		l.remove(l.crowd()[0]).evict()
	}
	l.turn++
	l.taken++
	p := &place{lobby: l, origin: from, turn: l.turn, evict: evict}
	l.places[from] = append(l.places[from], p)
	return p
}

// leave gives the place back. It tells whether it still was the caller's:
// false means that another has it.
func (p *place) leave() (kept bool) {
	p.lobby.mu.Lock()
	defer p.lobby.mu.Unlock()
	if p.gone {
		return false
	}
	p.lobby.remove(p)
	return true
}

// crowd returns the places of the origin that has the most, of several such of
// the one that has had one for the longest.
func (l *lobby) crowd() (most []*place) {
	for _, places := range l.places {
		if len(places) > len(most) || len(places) == len(most) && places[0].turn < most[0].turn {
			most = places
		}
	}
	return most
}

func (l *lobby) remove(p *place) *place {
	p.gone = true
	l.taken--
	rest := slices.DeleteFunc(l.places[p.origin], func(q *place) bool { return q == p })
	if l.places[p.origin] = rest; len(rest) == 0 {
		delete(l.places, p.origin)
	}
	return p
}

// origin is what limits count as one address: an IPv4 address, or the 64 bits
// of an IPv6 address that name a network, since a host has all the addresses
// within.
func origin(a net.Addr) netip.Prefix {
	ip := host(a)
	bits := 64
	if ip.Is4() {
		bits = 32
	}
	p, _ := ip.WithZone("").Prefix(bits) // the zero prefix of an address that is none
	return p
}
