package tunnel

import (
	"io/fs"
	"net/netip"
	"testing"
	"testing/fstest"

	"unchoke/internal/linux/device"
)

// proc is a /proc with processes of these names, the first of which holds a
// TUN device where one is named.
func processes(held string, names ...string) fs.FS {
	m := fstest.MapFS{"self/comm": {Data: []byte("no process\n")}}
	for i, name := range names {
		dir := string(rune('1' + i))
		m[dir+"/comm"] = &fstest.MapFile{Data: []byte(name + "\n")}
		m[dir+"/fdinfo/0"] = &fstest.MapFile{Data: []byte("pos:\t0\nflags:\t02\n")}
		if i == 0 && held != "" {
			m[dir+"/fdinfo/7"] = &fstest.MapFile{Data: []byte("pos:\t0\nflags:\t0104002\nmnt_id:\t24\niff:\t" + held + "\n")}
		}
	}
	return m
}

func TestKind(t *testing.T) {
	idle := processes("", "init", "sshd")
	for _, c := range []struct {
		name, kind, source string
		proc               fs.FS
		want               string
	}{
		{"eth0", "", "192.0.2.1", idle, none},
		{"lo", "loopback", "127.0.0.1", idle, none},
		{"veth0", "veth", "10.0.0.1", idle, none},
		{"pppoe-wan", "ppp", "192.0.2.1", idle, none},
		{"wg0", "wireguard", "10.0.0.1", idle, wireguard},
		{"wg0", "wireguard", "100.64.0.1", idle, wireguard},
		{"wg0", "wireguard", "100.64.0.1", processes("", "tailscaled"), wireguard}, // tailscaled never uses the kernel's
		{"wg0", "tun", "10.0.0.1", processes("", "wireguard-go"), wireguard},
		{"wt0", "wireguard", "100.92.0.1", idle, netbird},
		{"nb-office", "wireguard", "100.92.0.1", processes("", "netbird"), netbird},
		{"wt0", "tun", "100.92.0.1", idle, netbird},
		{"tailscale0", "tun", "100.64.0.1", idle, tailscale},
		{"ts-home", "tun", "100.64.0.1", processes("", "init", "tailscaled"), tailscale},
		{"ts-home", "tun", "fd7a:115c:a1e0::1", idle, tailscale},
		{"tun0", "tun", "10.8.0.2", processes("", "tailscaled"), "tun"},
		{"tun0", "tun", "10.8.0.2", processes("tailscale0", "tailscaled", "openvpn"), openvpn}, // OpenVPN beside Tailscale
		{"tun0", "tun", "10.8.0.2", processes("tun0", "nebula", "openvpn"), nebula},            // the holder is known
		{"tun0", "tun", "100.64.0.1", idle, "tun"},
		{"ztabcd1234", "tun", "10.147.17.1", idle, zerotier},
		{"zt", "tun", "10.147.17.1", idle, "tun"},
		{"nebula1", "tun", "192.168.100.1", idle, nebula},
		{"tun0", "ovpn", "10.8.0.2", idle, openvpn},
		{"tun0", "ovpn-dco", "10.8.0.2", idle, openvpn},
		{"gre1", "gre", "10.0.0.1", idle, "gre"},
		{"g6", "ip6gre", "10.0.0.1", idle, "ip6gre"},
		{"tunl1", "ipip", "10.0.0.1", idle, "ipip"},
		{"vx0", "vxlan", "10.0.0.1", idle, "vxlan"},
		{"utun4", "", "fd7a:115c:a1e0::1", nil, tailscale},
		{"utun4", "", "10.0.0.1", nil, "tun"},
		{"Tailscale", "", "100.64.0.1", nil, tailscale},
	} {
		if got := kindOf(device.Device{Name: c.name, Kind: c.kind}, netip.MustParseAddr(c.source), c.proc); got != c.want {
			t.Errorf("%s (%s) from %s: %s, want %s", c.name, c.kind, c.source, got, c.want)
		}
	}
}
