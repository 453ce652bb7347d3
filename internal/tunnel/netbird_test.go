package tunnel

import (
	"testing"

	"unchoke/internal/record"
)

func TestNetbird(t *testing.T) {
	for _, name := range versions(t, "netbird-*.json") {
		b := fixture(t, name)
		var version string
		for address, want := range map[string]struct {
			via  record.Via
			peer string
		}{
			"100.92.0.2": {record.Direct, "a.netbird.cloud"},
			"100.92.0.3": {record.Relayed, "b.netbird.cloud"},
			"100.92.0.4": {record.Idle, "c.netbird.cloud"},
		} {
			got, err := parseNetbird(b, to("100.92.0.1", address))
			if err != nil || got.via != want.via || got.peer != want.peer {
				t.Errorf("%s: to %s: %+v, %v, want %+v", name, address, got, err, want)
			}
			version = got.program
		}
		relayed, _ := parseNetbird(b, to("100.92.0.1", "100.92.0.3"))
		if version != "netbird 0.25.0" {
			if relayed.relay.Address != "relay.example:443" && version != "netbird 0.27.0" || relayed.relay.RTT != 0.0555 {
				t.Errorf("%s: relay %+v", name, relayed.relay)
			}
			direct, _ := parseNetbird(b, to("100.92.0.1", "10.30.1.1"))
			routed, _ := parseNetbird(b, to("100.92.0.1", "10.30.40.1"))
			if direct.endpoint != "192.0.2.8:51820" || routed.via != record.Relayed || routed.target != record.Behind || relayed.target != record.AtPeer || direct.handshake.IsZero() {
				t.Errorf("%s: direct %+v, routed %+v", name, direct, routed)
			}
		}
		carrier, transport := record.Kernel, ""
		switch version {
		case "netbird 0.50.0":
			carrier = record.Userspace
		case "netbird 0.77.1":
			transport = "quic"
		}
		if relayed.carrier != carrier || relayed.relay.Transport != transport {
			t.Errorf("%s: carrier %s, transport %q, want %s, %q", name, relayed.carrier, relayed.relay.Transport, carrier, transport)
		}
		if got, err := parseNetbird(b, to("100.92.0.1", "203.0.113.1")); err != nil || got.via != "" || len(got.unknown) != 1 {
			t.Errorf("%s: to nobody: %+v, %v", name, got, err)
		}
		cut(t, name, b, func(b []byte) error { _, err := parseNetbird(b, to("", "100.92.0.3")); return err })
	}
	for _, b := range []string{`{}`, `{"peers":{"details":[{"netbirdIp":"100.92.0.3","connectionType":"Teleported"}]}}`} {
		if _, err := parseNetbird([]byte(b), to("", "100.92.0.3")); err == nil {
			t.Errorf("%q was accepted", b)
		}
	}
}

func TestRelayURI(t *testing.T) {
	for uri, want := range map[string][2]string{
		"rels://relay.example:443":               {"relay.example:443", "relay.example"},
		"turn:turn.example:3478?transport=udp":   {"turn.example:3478", "turn.example"},
		"turns:turn.example:443?transport=tcp":   {"turn.example:443", "turn.example"},
		"rel://[2001:db8::1]:33080":              {"[2001:db8::1]:33080", "2001:db8::1"},
		"no address at all":                      {"no address at all", "no address at all"},
		"turns://turn.example:443?transport=tcp": {"turn.example:443", "turn.example"},
	} {
		if address, name := hostPort(uri), hostName(uri); address != want[0] || name != want[1] {
			t.Errorf("%s: %s, %s, want %v", uri, address, name, want)
		}
	}
	var doc netbirdStatus
	if got := doc.transport("turns:turn.example:443?transport=tcp"); got != "tcp" {
		t.Errorf("TURN over TCP: %q", got)
	}
	if got := doc.transport("turn:turn.example:3478?transport=udp"); got != "udp" {
		t.Errorf("TURN over UDP: %q", got)
	}
}

func FuzzNetbird(f *testing.F) {
	for _, name := range versions(f, "netbird-*.json") {
		f.Add(fixture(f, name))
	}
	f.Fuzz(func(_ *testing.T, b []byte) { parseNetbird(b, to("100.92.0.1", "100.92.0.3")) })
}
