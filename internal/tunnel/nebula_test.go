package tunnel

import (
	"testing"

	"unchoke/internal/record"
)

func TestNebula(t *testing.T) {
	for _, name := range versions(t, "nebula-*.json") {
		b := fixture(t, name)
		for address, want := range map[string]state{
			"192.168.100.2": {peer: "direct", via: record.Direct, endpoint: "192.0.2.8:4242"},
			"192.168.100.3": {peer: "relayed", via: record.PeerRelay, endpoint: "192.168.100.9"},
			"192.168.100.4": {peer: "192.168.100.4", via: record.Idle},
			"192.168.100.5": {via: record.Idle},
		} {
			got, err := parseNebula(b, to("192.168.100.1", address))
			if listed := want.peer != ""; listed != (got.target == record.AtPeer) {
				t.Errorf("%s: %s: the target is %q", name, address, got.target)
			}
			if err != nil || got.peer != want.peer || got.via != want.via || got.endpoint != want.endpoint {
				t.Errorf("%s: to %s: %+v, %v, want %+v", name, address, got, err, want)
			}
		}
		cut(t, name, b, func(b []byte) error { _, err := parseNebula(b, to("", "192.168.100.2")); return err })
	}
}

func TestNebulaSSH(t *testing.T) {
	for config, want := range map[string][2]string{
		"pki:\n  ca: x\nsshd:\n  enabled: true # yes\n  listen: 127.0.0.1:2222\n  authorized_users:\n    - user: steve\n      keys:\n        - \"ssh-ed25519 AAAA\"\ntun:\n  dev: nebula1\n": {"127.0.0.1:2222", "steve"},
		"sshd:\n  enabled: false\n  listen: 127.0.0.1:2222\n":  {"", ""},
		"#sshd:\n  #enabled: true\nlisten:\n  host: 0.0.0.0\n": {"", ""},
		"": {"", ""},
	} {
		if listen, user := nebulaSSH([]byte(config)); listen != want[0] || user != want[1] {
			t.Errorf("%q: %q, %q, want %q", config, listen, user, want)
		}
	}
}

func FuzzNebula(f *testing.F) {
	for _, name := range versions(f, "nebula-*.json") {
		f.Add(fixture(f, name))
	}
	f.Fuzz(func(_ *testing.T, b []byte) {
		parseNebula(b, to("192.168.100.1", "192.168.100.3"))
		nebulaSSH(b)
	})
}
