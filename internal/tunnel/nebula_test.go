//go:build !slim

package tunnel

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

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

func TestAskNebula(t *testing.T) {
	var asked string
	h := actor{
		proc:  fstest.MapFS{"1/comm": {Data: []byte("nebula\n")}, "1/cmdline": {Data: []byte("nebula\x00-config\x00/etc/n.yml\x00")}},
		files: map[string]string{"/etc/n.yml": "sshd:\n  enabled: true\n  listen: 127.0.0.1:2222\n  authorized_users:\n    - user: steve\n"},
		run: func(_ context.Context, line string) ([]byte, error) {
			asked = line
			return fixture(t, "nebula-1.8.2-ControlHostInfo.json"), nil
		},
	}
	got, err := askNebula(t.Context(), h, to("192.168.100.1", "192.168.100.3"))
	if err != nil || got.via != record.PeerRelay || !strings.HasSuffix(asked, "-p 2222 -l steve 127.0.0.1 list-hostmap -json") {
		t.Errorf("%q: %+v, %v", asked, got, err)
	}
	for _, listen := range []string{"-oProxyCommand=id:22", "[-oProxyCommand=id]:22", "127.0.0.1:-22"} {
		asked = ""
		h.files["/etc/n.yml"] = "sshd:\n  enabled: true\n  listen: \"" + listen + "\"\n"
		if _, err := askNebula(t.Context(), h, to("192.168.100.1", "192.168.100.3")); err == nil || asked != "" {
			t.Errorf("%s: %q was run, %v", listen, asked, err)
		}
	}
	h.files["/etc/n.yml"] = "sshd:\n  enabled: false\n"
	if _, err := askNebula(t.Context(), h, to("192.168.100.1", "192.168.100.3")); err == nil || !strings.Contains(err.Error(), "SSH server is off") {
		t.Errorf("without its SSH server: %v", err)
	}
	delete(h.files, "/etc/n.yml")
	if _, err := askNebula(t.Context(), h, to("192.168.100.1", "192.168.100.3")); !errors.Is(err, errAbsent) {
		t.Errorf("without its configuration: %v", err)
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
