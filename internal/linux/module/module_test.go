package module

import (
	"slices"
	"testing"
	"testing/fstest"
)

func TestCongestionControls(t *testing.T) {
	root := fstest.MapFS{
		"lib/modules/6.12.1/modules.dep": {Data: []byte(
			"kernel/net/ipv4/tcp_bbr.ko.xz:\n" +
				"kernel/net/ipv4/tcp_diag.ko.xz: kernel/net/ipv4/inet_diag.ko.xz\n" +
				"kernel/net/ipv4/inet_diag.ko.xz:\n" +
				"updates/dkms/tcp-brutal.ko.zst:\n" +
				"updates/tcp_bbr.ko:\n" +
				"kernel/net/tls/tcp_odd.kontrast:\n" +
				"kernel/net/ipv4/tcp_ve")}, // truncated
		"lib/modules/5.15.0/tcp_bbr.ko":                                   {},
		"lib/modules/5.15.0/nf_nat.ko":                                    {},
		"run/booted-system/kernel-modules/lib/modules/6.18.0/modules.dep": {Data: []byte("kernel/net/ipv4/tcp_vegas.ko.xz:\n")},
	}
	for release, want := range map[string][]string{
		"6.12.1": {"bbr", "brutal"},
		"5.15.0": {"bbr"},
		"6.18.0": {"vegas"},
		"4.4.0":  nil,
	} {
		got, err := congestionControls(root, release)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("kernel %s: %v, %v, want %v", release, got, err, want)
		}
	}
}
