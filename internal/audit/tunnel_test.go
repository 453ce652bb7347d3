package audit

import (
	"io/fs"
	"net/netip"
	"testing"
	"testing/fstest"

	"unchoke/internal/record"
)

func TestTunnel(t *testing.T) {
	proc := func(names ...string) fs.FS {
		m := fstest.MapFS{"self/comm": {Data: []byte("no process\n")}}
		for i, name := range names {
			m[string(rune('1'+i))+"/comm"] = &fstest.MapFile{Data: []byte(name + "\n")}
		}
		return m
	}
	idle := proc("init", "sshd")
	for _, c := range []struct {
		name, kind, source string
		proc               fs.FS
		want               string
	}{
		{"eth0", "", "192.0.2.1", idle, "none"},
		{"lo", "loopback", "127.0.0.1", idle, "none"},
		{"veth0", "veth", "10.0.0.1", idle, "none"},
		{"wg0", "wireguard", "10.0.0.1", idle, "wireguard"},
		{"wg0", "wireguard", "100.64.0.1", idle, "wireguard"},
		{"wg0", "wireguard", "100.64.0.1", proc("tailscaled"), "wireguard"}, // tailscaled never uses the kernel's
		{"wt0", "wireguard", "100.92.0.1", idle, "netbird"},
		{"nb-office", "wireguard", "100.92.0.1", proc("netbird"), "netbird"},
		{"wt0", "tun", "100.92.0.1", idle, "netbird"},
		{"tailscale0", "tun", "100.64.0.1", idle, "tailscale"},
		{"ts-home", "tun", "100.64.0.1", proc("init", "tailscaled"), "tailscale"},
		{"ts-home", "tun", "fd7a:115c:a1e0::1", idle, "tailscale"},
		{"tun0", "tun", "10.8.0.2", proc("tailscaled"), "tun"}, // OpenVPN beside Tailscale
		{"tun0", "tun", "100.64.0.1", idle, "tun"},
		{"gre1", "gre", "10.0.0.1", idle, "gre"},
		{"g6", "ip6gre", "10.0.0.1", idle, "ip6gre"},
		{"tunl1", "ipip", "10.0.0.1", idle, "ipip"},
		{"utun4", "", "fd7a:115c:a1e0::1", nil, "tailscale"},
		{"utun4", "", "10.0.0.1", nil, "tun"},
		{"Tailscale", "", "100.64.0.1", nil, "tailscale"},
	} {
		want := record.Tunnel{Kind: c.want, Device: c.name}
		if c.want == "none" {
			want.Device = ""
		}
		if got := tunnel(c.name, c.kind, netip.MustParseAddr(c.source), c.proc); got != want {
			t.Errorf("%s (%s) from %s: %+v, want %+v", c.name, c.kind, c.source, got, want)
		}
	}
}
