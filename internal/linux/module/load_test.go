package module

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseLoaded(t *testing.T) {
	got, err := parseLoaded(strings.NewReader(
		"tcp_bbr 20480 7 - Live 0x0000000000000000\n" +
			"sch_fq 24576 0 - Live 0x0000000000000000\n" +
			"ipv6 610304 - - Live 0x0000000000000000 [permanent]\n"))
	want := map[string]int{"tcp_bbr": 7, "sch_fq": 0, "ipv6": 1}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	for _, bad := range []string{"tcp_bbr 20480\n", "tcp_bbr 20480 many - Live\n"} {
		if got, err := parseLoaded(strings.NewReader(bad)); err == nil {
			t.Errorf("%q gives %v", bad, got)
		}
	}
}

// What modprobe says is what is said where the kernel does not do it either.
func TestUnloadFails(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho unrecognized option: r >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(dir, "modprobe"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	if err := Unload(t.Context(), "unchoke_no_such_module"); err == nil || !strings.Contains(err.Error(), "unrecognized option") {
		t.Error(err)
	}
}
