//go:build !slim

package app

import (
	"os"
	"path/filepath"
	"testing"

	"unchoke/internal/hint"
)

// A network namespace that is not there is refused before anything is measured, with
// those that are.
func TestNamespace(t *testing.T) {
	full, empty := t.TempDir(), t.TempDir()
	for _, name := range []string{"vpn", "box"} {
		if err := os.WriteFile(filepath.Join(full, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ place, folder, name, err, hint string }{
		{"netns:vpn", full, "vpn", "", ""},
		{"netns:nope", full, "", `place "netns:nope": this host has no network namespace nope`, "it has box, vpn"},
		{"netns:nope", empty, "", `place "netns:nope": this host has no network namespace nope`, "it has none; `ip netns list` would name them"},
		{"netns:nope", filepath.Join(empty, "none"), "", `place "netns:nope": this host has no network namespace nope`, "it has none; `ip netns list` would name them"},
		{"netns:", full, "", `place "netns:" names no network namespace`, "`ip netns list` names them"},
		{"netns:-a", full, "", `place "netns:-a" names no network namespace`, "`ip netns list` names them"},
		{"netns:../vpn", full, "", `place "netns:../vpn" names no network namespace`, "`ip netns list` names them"},
	} {
		name, err := namespace(c.place, c.folder)
		said := ""
		if err != nil {
			said = err.Error()
		}
		if name != c.name || said != c.err || err != nil && hint.Of(err) != c.hint {
			t.Errorf("%s: %q, %v, hint %q", c.place, name, err, hint.Of(err))
		}
	}
}
