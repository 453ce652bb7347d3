package live

import (
	"net/netip"
	"testing"
)

func TestBusier(t *testing.T) {
	for _, c := range []struct {
		sent, received, want float64
		sends                bool
	}{
		{0, 0, 0, true},
		{3, 2, 3, true},
		{2, 3, 3, false},
	} {
		if rate, sends := (&Flow{SentRate: c.sent, ReceivedRate: c.received}).Busier(); rate != c.want || sends != c.sends {
			t.Errorf("%v and %v: %v, %v", c.sent, c.received, rate, sends)
		}
	}
}

// An IPv4 address in the form of IPv6 is one of IPv4.
func TestOnly(t *testing.T) {
	for remote, want := range map[string]string{
		"[fd00::2]:5201":       "dst [fd00::2]:5201 and sport = 443",
		"[::ffff:10.0.0.2]:80": "dst 10.0.0.2:80 and sport = 443",
	} {
		f := Flow{Local: netip.MustParseAddrPort("[::1]:443"), Remote: netip.MustParseAddrPort(remote)}
		if got := f.Only(); got != want {
			t.Errorf("%s: %s, want %s", remote, got, want)
		}
	}
}
