package cc

import (
	"errors"
	"net"
	"net/netip"
	"testing"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/sysctl"
)

func TestOfConnection(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	want, err := Default(sysctl.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	to := l.Addr().(*net.TCPAddr).AddrPort()
	if got, err := OfConnection(to); err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	// Nobody has to answer.
	l.Close()
	if got, err := OfConnection(netip.AddrPortFrom(to.Addr(), to.Port())); err == nil && got != want {
		t.Errorf("without a listener %q, want %q", got, want)
	}
}

// A link-local address leads through its device: the kernel refuses it as invalid
// where it is told of none.
func TestOfLinkLocalConnection(t *testing.T) {
	l, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		t.Skip("this host has no IPv6: ", err)
	}
	l.Close()
	for _, zone := range []string{"lo", "1"} {
		to := netip.AddrPortFrom(netip.MustParseAddr("fe80::1%"+zone), 9)
		if _, err := OfConnection(to); errors.Is(err, unix.EINVAL) {
			t.Errorf("%v: %v", to, err)
		}
	}
	if _, err := OfConnection(netip.MustParseAddrPort("[fe80::1%nosuch0]:9")); err == nil {
		t.Error("a device that is not there leads somewhere")
	}
}
