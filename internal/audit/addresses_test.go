package audit

import (
	"net"
	"slices"
	"testing"
)

func TestAddresses(t *testing.T) {
	got := addressesOf([]net.Addr{
		&net.IPNet{IP: net.IPv4(127, 0, 0, 1), Mask: net.CIDRMask(8, 32)},
		&net.IPNet{IP: net.IPv4(192, 168, 1, 1), Mask: net.CIDRMask(24, 32)},
		&net.IPNet{IP: net.ParseIP("fe80::1"), Mask: net.CIDRMask(64, 128)},
		&net.IPNet{IP: net.ParseIP("2001:db8::1"), Mask: net.CIDRMask(64, 128)},
		&net.UnixAddr{Name: "no prefix"},
	})
	if want := []string{"192.168.1.1/24", "2001:db8::1/64"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := addressesOf(make([]net.Addr, 0)); len(got) > 0 {
		t.Errorf("of no device: %q", got)
	}
	var many []net.Addr
	for i := range 200 {
		many = append(many, &net.IPNet{IP: net.IPv4(10, 0, byte(i), 1), Mask: net.CIDRMask(24, 32)})
	}
	if n := len(addressesOf(many)); n != maxAddresses {
		t.Errorf("%d of 200 addresses are kept", n)
	}
}
