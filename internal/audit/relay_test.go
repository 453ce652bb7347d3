package audit

import (
	"net/netip"
	"os"
	"testing"
)

func TestRelayed(t *testing.T) {
	for kind, cases := range map[string]map[string]bool{
		tailscale: {
			"100.101.1.2":       false, // direct; Relay is only its region
			"fd7a:115c:a1e0::2": false,
			"100.101.1.3":       true,
			"fd7a:115c:a1e0::3": true,
			"100.101.1.4":       false, // through another peer
			"100.101.1.5":       false, // idle: its path is not settled
			"10.20.1.1":         false, // routed by the direct peer
			"10.20.30.1":        true,  // the longer prefix wins
			"198.51.100.1":      true,  // an exit node
		},
		netbird: {
			"100.92.0.2":  false,
			"100.92.0.3":  true,
			"10.30.1.1":   false,
			"10.30.40.1":  true,
			"203.0.113.1": false,
		},
	} {
		b, err := os.ReadFile("testdata/" + kind + ".json")
		if err != nil {
			t.Fatal(err)
		}
		for addr, want := range cases {
			got, err := status[kind](b, netip.MustParseAddr(addr))
			if err != nil || got != want {
				t.Errorf("%s to %s: relayed %v, %v, want %v", kind, addr, got, err, want)
			}
		}
		if _, err := status[kind](b[:len(b)/2], netip.MustParseAddr("100.101.1.3")); err == nil {
			t.Errorf("%s: a status cut short was accepted", kind)
		}
	}
}

// A program that is slow or fails costs a bounded time and gives an error.
func TestRelayedAsksProgram(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	addr := netip.MustParseAddr("100.101.1.3")
	if relayed, err := Relayed(t.Context(), tailscale, addr); relayed || err != nil {
		t.Errorf("without the program: %v, %v", relayed, err)
	}
	fixture, err := os.ReadFile("testdata/tailscale.json")
	if err != nil {
		t.Fatal(err)
	}
	program := func(script string) {
		if err := os.WriteFile(dir+"/tailscale", []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip(err)
	}
	program("[ \"$*\" = 'status --json' ] && while read -r line; do echo \"$line\"; done <<'END'\n" + string(fixture) + "END")
	if relayed, err := Relayed(t.Context(), tailscale, addr); !relayed || err != nil {
		t.Errorf("relayed peer: %v, %v", relayed, err)
	}
	program("exit 3")
	if _, err := Relayed(t.Context(), tailscale, addr); err == nil {
		t.Error("a program that failed gave no error")
	}
	program("while :; do :; done")
	if _, err := Relayed(t.Context(), tailscale, addr); err == nil {
		t.Error("a program that hangs gave no error")
	}
}

func FuzzStatus(f *testing.F) {
	for kind := range status {
		b, err := os.ReadFile("testdata/" + kind + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(_ *testing.T, b []byte) {
		for _, decode := range status {
			decode(b, netip.MustParseAddr("100.101.1.3"))
		}
	})
}
