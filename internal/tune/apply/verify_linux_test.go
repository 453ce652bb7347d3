package apply

import (
	"net/netip"
	"testing"
	"time"

	"unchoke/internal/linux/link"
	"unchoke/internal/linux/netns/netnstest"
	"unchoke/internal/linux/route"
	"unchoke/internal/linux/rtnl"
)

// Only what leaves by a device takes the route of its network, with the algorithm
// that it has: not what goes to an address of this host's own.
func TestKernelDevice(t *testing.T) {
	err := netnstest.New(t).Do(func() error {
		const dev = 3
		requests := append(link.Cable(link.End{Name: "wg0", Index: dev}, link.End{Name: "peer", Index: dev + 1}, 1400), link.Up(link.Loopback, "lo"))
		for _, own := range []string{"10.8.0.1/24", "fd00:8::1/64"} {
			requests = append(requests, link.Address(dev, netip.MustParsePrefix(own)))
		}
		if err := rtnl.Do(requests...); err != nil {
			return err
		}
		// The kernel knows an IPv6 address for its own a moment after it has taken it.
		for range 100 {
			if (Kernel{}).Device(netip.MustParseAddr("fd00:8::1")) == "" {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		for to, want := range map[string]string{
			"10.8.0.1": "", "10.8.0.2": "wg0", "10.8.0.255": "", "127.0.0.1": "", "192.0.2.1": "",
			"fd00:8::1": "", "fd00:8::2": "wg0", "::1": "", "fe80::1": "", "ff02::1": "", "2001:db8::1": "",
		} {
			if got := (Kernel{}).Device(netip.MustParseAddr(to)); got != want {
				t.Errorf("to %s by %q, want %q", to, got, want)
			}
		}
		entries, err := route.List()
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.Prefix == netip.MustParsePrefix("10.8.0.0/24") {
				if err := e.SetCC("reno"); err != nil {
					return err
				}
			}
		}
		if got, err := (Kernel{}).NewConnection(netip.MustParseAddr("10.8.0.2")); err != nil || got != "reno" {
			t.Errorf("a connection by the route uses %q, %v", got, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
