package tunnel

import (
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unchoke/internal/linux/device"
)

// The fixtures are named for the program, its version and the type in its
// source that writes them. Those of tailscaled 1.102.5 were written by it, in
// the lab; the others were made from that version's source, member by member.

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// versions lists the fixtures whose names match, at least three.
func versions(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var names []string
	for _, f := range files {
		names = append(names, filepath.Base(f))
		seen[strings.Split(filepath.Base(f), "-")[1]] = true
	}
	if len(seen) < 3 {
		t.Fatalf("%s: %d versions, want three or more", pattern, len(seen))
	}
	return names
}

// to is a question about an address, from this host's own.
func to(source, address string) query {
	q := query{address: netip.MustParseAddr(address), device: device.Device{Name: "tun0", Kind: "tun"}}
	if source != "" {
		q.source = netip.MustParseAddr(source)
	}
	return q
}

// cut checks that a status that was cut short is an error wherever it was cut.
func cut(t *testing.T, name string, b []byte, parse func([]byte) error) {
	t.Helper()
	whole := strings.TrimSpace(string(b))
	for n := 0; n < len(whole); n += 1 + len(whole)/50 {
		if json.Valid([]byte(whole[:n])) {
			continue
		}
		if parse([]byte(whole[:n])) == nil {
			t.Errorf("%s: cut to %d of %d bytes it was accepted", name, n, len(whole))
		}
	}
}
