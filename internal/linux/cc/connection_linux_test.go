package cc

import (
	"net"
	"net/netip"
	"testing"

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
