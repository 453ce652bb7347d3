package filter

import (
	"net/netip"
	"testing"
)

// A kernel that leaves out what is beyond the bounds leaves out nothing that the
// filter lets through.
func TestBounds(t *testing.T) {
	prefix := netip.MustParsePrefix
	for text, want := range map[string]Bounds{
		"":                        {},
		"dport = 443":             {RemotePort: 443},
		"sport :22 dport > 1000":  {LocalPort: 22},
		"dst 10.1.2.3/8":          {Remote: prefix("10.0.0.0/8")},
		"dst 192.0.2.1:443":       {Remote: prefix("192.0.2.1/32"), RemotePort: 443},
		"src [2001:db8::1]:22":    {Local: prefix("2001:db8::1/128"), LocalPort: 22},
		"dst [::ffff:192.0.2.1]":  {Remote: prefix("192.0.2.1/32")},
		"dst 0/0":                 {Remote: prefix("0.0.0.0/0")},
		"dst *:443":               {RemotePort: 443},
		"dport = 1 and dport = 2": {RemotePort: 1},
		"(dport = 443 and cc = cubic) and sport = 5": {RemotePort: 443, LocalPort: 5},
		"dport = 1 or dport = 2":                     {},
		"dport = 1 or rtt > 1ms and sport = 3":       {LocalPort: 3}, // from left to right
		"sport = 3 and (dport = 1 or dport = 2)":     {LocalPort: 3},
		"not dport = 443":                            {},
		"dport != 443":                               {},
		"dport = inet6:443":                          {},
		"dport = 0":                                  {},
		"state established":                          {},
	} {
		f, err := Parse(text, Names{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := f.Bounds(); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

// within says whether a connection is.
func (b Bounds) within(local, remote netip.AddrPort) bool {
	return (b.LocalPort == 0 || b.LocalPort == local.Port()) && (b.RemotePort == 0 || b.RemotePort == remote.Port()) &&
		(!b.Local.IsValid() || b.Local.Contains(local.Addr())) && (!b.Remote.IsValid() || b.Remote.Contains(remote.Addr()))
}
