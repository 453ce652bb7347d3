package iperf3

import (
	"fmt"
	"net"
	"net/netip"
	"testing"
)

func TestLobbyEvicts(t *testing.T) {
	var l lobby
	var evicted []string
	enter := func(addr string) *place {
		return l.enter(origin(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(addr))), func() { evicted = append(evicted, addr) })
	}
	first := enter("192.0.2.1:1")
	for n := 2; n <= maxLobbyEach; n++ {
		enter(fmt.Sprintf("192.0.2.1:%d", n))
	}
	if len(evicted) > 0 {
		t.Fatalf("with room left, %v had to go", evicted)
	}
	enter("192.0.2.1:1000")
	if fmt.Sprint(evicted) != "[192.0.2.1:1]" {
		t.Errorf("one more of an address: %v had to go, not its oldest", evicted)
	}
	if first.leave() {
		t.Error("one that had to go kept its place")
	}
	// Full of those that have one place each, but for the first and for another
	// with two.
	twice := enter("198.51.100.1:1")
	enter("198.51.100.1:2")
	for n := 0; l.taken < maxLobby; n++ {
		enter(fmt.Sprintf("10.0.%d.%d:1", n/250, n%250))
	}
	evicted = nil
	enter("203.0.113.1:1")
	if fmt.Sprint(evicted) != "[192.0.2.1:2]" {
		t.Errorf("a new address: %v had to go, not the oldest of the one that has the most", evicted)
	}
	if !twice.leave() || twice.leave() || l.taken != maxLobby-1 {
		t.Errorf("a place given back once or twice leaves %d taken", l.taken)
	}
	evicted = nil
	enter("203.0.113.2:1")
	if len(evicted) > 0 {
		t.Errorf("where a place was given back, %v had to go", evicted)
	}
}

func TestOrigin(t *testing.T) {
	for addr, want := range map[string]string{
		"192.0.2.1:5":               "192.0.2.1/32",
		"[::ffff:192.0.2.1]:5":      "192.0.2.1/32",
		"[2001:db8:1:2:3:4:5:6]:5":  "2001:db8:1:2::/64",
		"[fe80::1:2:3:4%eth0]:5201": "fe80::/64",
	} {
		if got := origin(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(addr))).String(); got != want {
			t.Errorf("%s is of %s, want %s", addr, got, want)
		}
	}
}
