package tunnel

import (
	"net/netip"
	"strings"
	"testing"

	"unchoke/internal/record"
)

func TestOpenvpn(t *testing.T) {
	for _, name := range versions(t, "openvpn-*-client.txt") {
		got, err := parseOpenvpn(string(fixture(t, name)), to("10.8.0.2", "10.8.0.1"))
		if err != nil || got.via != record.Direct || got.endpoint != "198.51.100.4:1194" || !strings.HasPrefix(got.program, "openvpn 2.") {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for _, name := range versions(t, "openvpn-*-multi_print_status.txt") {
		b := string(fixture(t, name))
		for _, address := range []string{"10.8.0.2", "10.50.3.4"} {
			got, err := parseOpenvpn(b, to("10.8.0.1", address))
			if err != nil || got.via != record.Direct || got.endpoint != "192.0.2.8:40000" || got.peer != "laptop" {
				t.Errorf("%s: to %s: %+v, %v", name, address, got, err)
			}
			want := record.Kernel
			if strings.Contains(name, "2.4.12") {
				want = "" // it does not tell
			}
			if got.carrier != want {
				t.Errorf("%s: carrier %q, want %q", name, got.carrier, want)
			}
		}
		if got, err := parseOpenvpn(b, to("10.8.0.1", "10.8.0.9")); err != nil || got.via != record.Idle || got.endpoint != "" {
			t.Errorf("%s: a client that is not there: %+v, %v", name, got, err)
		}
	}
	if _, err := parseOpenvpn("HTTP/1.1 400 Bad Request\r\n", to("", "10.8.0.1")); err == nil {
		t.Error("what is no OpenVPN was accepted")
	}
}

// Clients may share one name: each has its own real address.
func TestOpenvpnDuplicateNames(t *testing.T) {
	const two = "OpenVPN Version: OpenVPN 2.6.12 x\n" +
		"CLIENT_LIST\tlaptop\t192.0.2.8:40000\t10.8.0.2\t\n" +
		"CLIENT_LIST\tlaptop\t192.0.2.9:50000\t10.8.0.3\t\n" +
		"ROUTING_TABLE\t10.8.0.2\tlaptop\t192.0.2.8:40000\n" +
		"ROUTING_TABLE\t10.50.0.0/16\tlaptop\t192.0.2.8:40000\n"
	for address, want := range map[string]string{"10.8.0.2": "192.0.2.8:40000", "10.8.0.3": "192.0.2.9:50000", "10.50.1.1": "192.0.2.8:40000"} {
		if got, err := parseOpenvpn(two, to("10.8.0.1", address)); err != nil || got.endpoint != want || got.peer != "laptop" {
			t.Errorf("to %s: %+v, %v", address, got, err)
		}
	}
}

// A state tells whose device it is: by its address or its IPv6 address.
func TestOpenvpnState(t *testing.T) {
	for _, c := range []struct {
		line, source string
		mine         bool
	}{
		{"1,CONNECTED,SUCCESS,10.8.0.2,198.51.100.4,1194,10.0.0.5,40000,", "10.8.0.2", true},
		{"1,CONNECTED,SUCCESS,10.8.0.2,198.51.100.4,1194,10.0.0.5,40000", "10.9.0.2", false},
		{"1,CONNECTED,SUCCESS,10.8.0.2,198.51.100.4,1194,,,fd00::2", "fd00::2", true},
		{"1,CONNECTED,SUCCESS,10.8.0.2,198.51.100.4,1194,,,fd00::2", "fd00::3", false},
		{"1,CONNECTED,SUCCESS,10.8.0.2,198.51.100.4,1194,,", "fd00::3", false},
		{"1,CONNECTED,SUCCESS,10.8.0.1,,,,", "10.8.0.1", true},
		{"1,CONNECTED,SUCCESS,,198.51.100.4,1194,,", "10.8.0.2", true}, // a bridge's
		{"1,RECONNECTING,ping-restart,,,,,", "10.8.0.2", true},
	} {
		var s state
		if got := s.takeState(strings.Split(c.line, ","), netip.MustParseAddr(c.source)); got != c.mine {
			t.Errorf("%s, from %s: %v", c.line, c.source, got)
		}
	}
}

func TestOpenvpnConfig(t *testing.T) {
	c := parseOpenvpnConfig([]byte("client\n# dev tap\ndev tun\n;proto udp\nremote vpn.example 443 tcp-client\nmanagement /run/ovpn.sock unix\n"))
	if c.device != "tun" || c.transport("443") != "tcp" || c.management != "/run/ovpn.sock" || !c.unix {
		t.Errorf("%+v", c)
	}
	c = parseOpenvpnConfig([]byte("server 10.8.0.0 255.255.255.0\ndev tun3\nproto udp6\nmanagement localhost 7505 pw-file\n"))
	if c.device != "tun3" || c.protocol != "udp6" || c.management != "localhost:7505" || c.unix {
		t.Errorf("%+v", c)
	}
	for device, want := range map[string]bool{"tun3": true, "tun0": false} {
		if c.serves(device) != want {
			t.Errorf("%s: %v", device, !want)
		}
	}
	if !(&openvpnConfig{device: "tun"}).serves("tun7") || (&openvpnConfig{device: "tap"}).serves("tun7") {
		t.Error("a device that was left open is not told from another kind's")
	}
}

// What the packets travel in is told by the remote that is connected, by its
// port, else by what all of them say.
func TestOpenvpnTransport(t *testing.T) {
	const udpThenTCP = "client\ndev tun\nremote vpn.example 1194 udp\nremote vpn.example 443 tcp # where UDP is blocked\n"
	for _, c := range []struct{ config, port, want string }{
		{"dev tun\n", "", "udp"},
		{"dev tun\nserver 10.8.0.0 255.255.255.0\nproto tcp-server\n", "40000", "tcp"},
		{"proto tcp4\nremote vpn.example\n", "1194", "tcp"},
		{"port 443\nproto udp\nremote vpn.example\nremote vpn.example 1194 tcp\n", "443", "udp"},
		{udpThenTCP, "443", "tcp"},
		{udpThenTCP, "1194", "udp"},
		{udpThenTCP, "3128", ""}, // through a proxy
		{udpThenTCP, "", ""},
		{"remote a 443 tcp\nremote b 443 tcp\n", "3128", "tcp"},
		{"remote a 1194 udp\nremote a 1194 tcp\n", "1194", ""},
		{"proto udp\n<connection>\nremote a 443\nproto tcp\n</connection>\n<connection>\nremote a 1194\n</connection>\n", "443", "tcp"},
		{"proto udp\n<connection>\nremote a 443\nproto tcp\n</connection>\n<connection>\nremote a 1194\n</connection>\n", "1194", "udp"},
	} {
		if got := parseOpenvpnConfig([]byte(c.config)).transport(c.port); got != c.want {
			t.Errorf("%q, port %q: %q, want %q", c.config, c.port, got, c.want)
		}
	}
}

func TestOpenvpnRealAddress(t *testing.T) {
	for text, want := range map[string][2]string{
		"192.0.2.8:40000":                 {"192.0.2.8:40000", ""},
		"udp4:192.0.2.8:40000":            {"192.0.2.8:40000", "udp"},
		"tcp4-server:192.0.2.8:40000":     {"192.0.2.8:40000", "tcp"},
		"tcp6-server:[2001:db8::8]:40000": {"[2001:db8::8]:40000", "tcp"},
		"[2001:db8::8]:40000":             {"[2001:db8::8]:40000", ""},
	} {
		if address, transport := realAddress(text); address != want[0] || transport != want[1] {
			t.Errorf("%s: %s, %q", text, address, transport)
		}
	}
}

func FuzzOpenvpn(f *testing.F) {
	for _, name := range versions(f, "openvpn-*.txt") {
		f.Add(fixture(f, name))
	}
	f.Fuzz(func(_ *testing.T, b []byte) {
		parseOpenvpn(string(b), to("10.8.0.1", "10.8.0.2"))
		parseOpenvpnConfig(b).transport("443")
	})
}
