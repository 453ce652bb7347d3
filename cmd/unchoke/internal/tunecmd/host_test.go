//go:build !slim

package tunecmd

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"unchoke/internal/tune"
)

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
