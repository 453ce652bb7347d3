package route

import (
	"net/netip"
	"testing"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/messagetest"
)

func addr(s string) netip.Addr { return netip.MustParseAddr(s) }

func TestParse(t *testing.T) {
	for name, want := range map[string]Route{
		"link":    {Type: unix.RTN_UNICAST, Source: addr("10.9.0.1"), Index: 2},
		"congctl": {Type: unix.RTN_UNICAST, Source: addr("10.9.0.1"), Index: 2, MTU: 1280, CC: "bbr"},
		"gateway": {Type: unix.RTN_UNICAST, Source: addr("10.9.0.1"), Gateway: addr("10.9.0.9"), Index: 2},
		"via6":    {Type: unix.RTN_UNICAST, Source: addr("10.9.0.1"), Gateway: addr("2001:db8:1::9"), Index: 2},
		"ipv6":    {Type: unix.RTN_UNICAST, Source: addr("2001:db8:1::1"), Gateway: addr("2001:db8:1::9"), Index: 2, MTU: 1400, CC: "cubic"},
	} {
		got, err := parse(messagetest.Read(t, name))
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, want)
		}
	}
}

// Cut anywhere, a message parses to a prefix of its attributes or fails; it is
// never misread.
func TestTruncated(t *testing.T) {
	for _, name := range []string{"congctl", "via6", "ipv6"} {
		whole := messagetest.Read(t, name)
		want, err := parse(whole)
		if err != nil {
			t.Fatal(err)
		}
		for n := range whole {
			got, err := parse(whole[:n])
			if err != nil {
				continue
			}
			if got.CC != "" && got.CC != want.CC || got.Gateway.IsValid() && got.Gateway != want.Gateway {
				t.Errorf("%s cut to %d bytes: %+v", name, n, got)
			}
		}
		if _, err := parse(whole[:11]); err == nil {
			t.Errorf("%s: a header cut short was accepted", name)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"link", "congctl", "gateway", "via6", "ipv6"} {
		f.Add(messagetest.Read(f, name))
	}
	f.Fuzz(func(_ *testing.T, b []byte) { parse(b) })
}

func TestLoopback(t *testing.T) {
	r, err := Get(addr("127.0.0.1"), 0)
	if err != nil || r.Type != unix.RTN_LOCAL || r.Source != addr("127.0.0.1") || r.Index == 0 || r.Gateway.IsValid() {
		t.Errorf("%+v, %v", r, err)
	}
	if mapped, err := Get(addr("::ffff:127.0.0.1"), 0); err != nil || mapped != r {
		t.Errorf("mapped: %+v, %v", mapped, err)
	}
}
