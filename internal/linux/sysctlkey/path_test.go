package sysctlkey

import "testing"

func TestPath(t *testing.T) {
	for key, want := range map[string]string{
		"net.ipv4.tcp_rmem":               "net/ipv4/tcp_rmem",
		"net/ipv4/tcp_rmem":               "net/ipv4/tcp_rmem",
		"net.ipv4.conf.eth0/1.forwarding": "net/ipv4/conf/eth0.1/forwarding",
		"net/ipv4/conf/eth0.1/forwarding": "net/ipv4/conf/eth0.1/forwarding",
		"kernel":                          "kernel",
	} {
		if got := Path(key); got != want {
			t.Errorf("Path(%q) = %q, want %q", key, got, want)
		}
	}
}
