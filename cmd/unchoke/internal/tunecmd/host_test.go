//go:build !slim

package tunecmd

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"unchoke/internal/tune"
	"unchoke/internal/tune/timer"
)

// The copies of another journal's trials are not swept away. Those of the default
// journal have the name that earlier versions gave them.
func TestTimerMark(t *testing.T) {
	marks := map[string]string{}
	for _, dir := range []string{Dir(os.DirFS("/")), "/srv/a", "/srv/b"} {
		arms, err := actFlags{}.timer(dir)
		if err != nil {
			t.Fatal(err)
		}
		marks[dir] = arms.(timer.Timer).Mark
	}
	if marks[Dir(os.DirFS("/"))] != "" || marks["/srv/a"] == "" || marks["/srv/a"] == marks["/srv/b"] {
		t.Errorf("%q", marks)
	}
}

// On OpenWrt the journal, and what it tells of, outlast a reboot and an upgrade
// of the firmware.
func TestTuneDir(t *testing.T) {
	if dir := Dir(fstest.MapFS{"etc/os-release": {}}); dir != DefaultDir {
		t.Errorf("Debian: %s", dir)
	}
	dir := Dir(fstest.MapFS{"etc/openwrt_release": {}})
	text, err := os.ReadFile("../../../../packaging/openwrt/files/unchoke.keep")
	if err != nil {
		t.Fatal(err)
	}
	kept := strings.Fields(string(text))
	for _, name := range []string{dir, tune.SysctlFile, "/etc/modules.d/unchoke"} {
		if !slices.ContainsFunc(kept, func(k string) bool {
			return k == name || strings.HasSuffix(k, "/") && strings.HasPrefix(name, k)
		}) {
			t.Errorf("%s is not kept: %q", name, kept)
		}
	}
}
