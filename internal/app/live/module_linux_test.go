package live

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"unchoke/internal/tune/disk"
	"unchoke/internal/tune/journal"
	tunelive "unchoke/internal/tune/live"
	"unchoke/internal/tune/outcome"
)

// modprobe is a program of that name that does nothing. What it was asked for is
// in the returned file, a line each.
func modprobe(t *testing.T) (asked string) {
	t.Helper()
	dir := t.TempDir()
	asked = filepath.Join(dir, "asked")
	script := "#!/bin/sh\necho \"$@\" >>'" + asked + "'\n"
	if err := os.WriteFile(filepath.Join(dir, "modprobe"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	return asked
}

func private(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A run that is killed once its module is loaded leaves a journal that has it. The
// next revert unloads it, once.
func TestModuleOfKilledRun(t *testing.T) {
	asked, dir := modprobe(t), private(t)
	file := filepath.Join(dir, journal.Live)
	atLoad := filepath.Join(t.TempDir(), "journal") // as modprobe finds it
	script := "#!/bin/sh\necho \"$@\" >>'" + asked + "'\ntest $1 = -r || /bin/cp '" + file + "' '" + atLoad + "'\n"
	if err := os.WriteFile(filepath.Join(filepath.Dir(asked), "modprobe"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Change(t.Context(), Request{Dir: dir, CC: "nosuch"}, nil); err == nil {
		t.Fatal("changed to no algorithm")
	}
	if err := errors.Join(os.Rename(atLoad, file), os.Remove(asked)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := Revert(t.Context(), Request{Dir: dir}); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(asked); err != nil || string(got) != "-r -- tcp_nosuch\n" {
		t.Errorf("modprobe was asked for %q, %v", got, err)
	}
}

// A module that does not bring its algorithm is not left behind.
func TestModuleWithoutItsAlgorithm(t *testing.T) {
	asked := modprobe(t)
	loaded, err := Change(t.Context(), Request{Dir: private(t), CC: "nosuch"}, nil)
	if err == nil || !strings.Contains(err.Error(), "does not bring") || loaded != "" {
		t.Errorf("loaded %q, %v", loaded, err)
	}
	const want = "-- tcp_nosuch\n-r -- tcp_nosuch\n"
	if got, err := os.ReadFile(asked); err != nil || string(got) != want {
		t.Errorf("modprobe was asked for %q, %v", got, err)
	}
}

// What was loaded for nothing goes, after ^C and beside other changes, too; what a
// change needs stays.
func TestKeep(t *testing.T) {
	asked := modprobe(t)
	j, err := tunelive.Open(disk.OS{}, private(t), "boot", 7)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Begin([]*outcome.LiveFlow{{ID: "1", Old: "cubic"}}, "vegas", "tcp_vegas", time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	interrupted, interrupt := context.WithCancel(t.Context())
	interrupt()
	for loaded, want := range map[string]string{"": "", "tcp_vegas": "tcp_vegas", "tcp_bbr": ""} {
		if kept, err := keep(interrupted, j, loaded); err != nil || kept != want {
			t.Errorf("of %q kept %q, %v", loaded, kept, err)
		}
	}
	if got, err := os.ReadFile(asked); err != nil || string(got) != "-r -- tcp_bbr\n" {
		t.Errorf("modprobe was asked for %q, %v", got, err)
	}
}
