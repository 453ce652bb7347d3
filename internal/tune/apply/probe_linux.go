package apply

import (
	"fmt"
	"net"
	"net/netip"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/cc"
	"unchoke/internal/linux/route"
	"unchoke/internal/linux/sockdiag"
)

// Kernel is the Probe of the running kernel.
type Kernel struct{}

// discard is the port that a connection is opened to whose answer does not
// matter (RFC 863).
const discard = 9

// NewConnection opens one to loopback, where this process listens, or begins
// one to an address.
func (Kernel) NewConnection(to netip.Addr) (string, error) {
	if to.IsValid() {
		return cc.OfConnection(netip.AddrPortFrom(to, discard))
	}
	// By address: a host without a resolver may not know localhost.
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		l, err = net.Listen("tcp6", "[::1]:0")
	}
	if err != nil {
		return "", fmt.Errorf("listen on loopback: %w", err)
	}
	defer l.Close()
	return cc.OfConnection(l.Addr().(*net.TCPAddr).AddrPort())
}

// Device asks for the route. An IPv6 address that is no global one would need a
// device beside it.
func (Kernel) Device(to netip.Addr) string {
	if to.Is6() && !to.IsGlobalUnicast() {
		return ""
	}
	way, err := route.Get(to, 0)
	if err != nil || way.Type != unix.RTN_UNICAST {
		return ""
	}
	dev, err := net.InterfaceByIndex(way.Index)
	if err != nil {
		return ""
	}
	return dev.Name
}

// Connections lists those of this host.
func (Kernel) Connections() ([]sockdiag.Connection, error) { return sockdiag.Connections() }
