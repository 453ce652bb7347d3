package traffic

import (
	"slices"
	"testing"
)

// The kernel refuses a receive buffer of less than 4096 bytes, as that of a stream which has
// one packet under way would be.
func TestHostSettings(t *testing.T) {
	for _, c := range []struct {
		host Host
		want []string
	}{
		{Host{}, nil},
		{Host{ReceiveMax: 2340}, []string{"net.ipv4.tcp_rmem=4096 4096 4096"}},
		{Host{ReceiveMax: 1 << 20}, []string{"net.ipv4.tcp_rmem=4096 131072 1048576"}},
		{Host{SendMax: 8192}, []string{"net.ipv4.tcp_wmem=4096 8192 8192"}},
		{Host{Reordering: 30, NoSACK: true}, []string{"net.ipv4.tcp_reordering=30", "net.ipv4.tcp_max_reordering=1000", "net.ipv4.tcp_sack=0"}},
	} {
		if got := c.host.sysctls(); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.host, got, c.want)
		}
	}
}
