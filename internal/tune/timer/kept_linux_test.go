package timer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// kept copies a shell script, which looks for a file as a timer's program looks
// for its round; dirs are below dir.
func kept(t *testing.T, dir string, names ...string) Kept {
	t.Helper()
	program := filepath.Join(dir, "program")
	script := "#!/bin/sh\ntest \"$1\" = --find && exec test -e " + dir + "/round\nsleep 60\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	k := Kept{Program: program, Process: true, Command: func(program, _ string, arguments ...string) []string {
		return append([]string{program}, arguments...)
	}}
	for _, n := range names {
		k.Dirs = append(k.Dirs, filepath.Join(dir, n))
	}
	return k
}

func copies(t *testing.T, dir string) (names []string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*", keptPrefix+"*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// The copy is in the first directory that takes it, while the round waits.
func TestKept(t *testing.T) {
	dir := t.TempDir()
	k := kept(t, dir, "missing", "here", "there")
	for _, name := range []string{"here", "there", "round"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	timer, err := k.Arm(t.Context(), "a1", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(dir, "here", "unchoke-revert-a1")
	if info, err := os.Stat(want); timer.Program != want || err != nil || info.Mode() != 0o700 {
		t.Errorf("%+v, %v", timer, err)
	}
	k.Sweep(timer.Program)
	if got := copies(t, dir); len(got) != 1 {
		t.Errorf("a sweep leaves %v", got)
	}
	// What runs from a file that stays takes the copy of another with it.
	if err := (Timer{}).Disarm(timer); err != nil {
		t.Error(err)
	}
	if got := copies(t, dir); len(got) > 0 {
		t.Errorf("disarmed: %v", got)
	}
	if err := k.Disarm(timer); err != nil {
		t.Errorf("disarmed twice: %v", err)
	}
}

// Where no copy finds the round there is no timer, and no copy.
func TestKeptFindsNothing(t *testing.T) {
	dir := t.TempDir()
	k := kept(t, dir, "here")
	if err := os.Mkdir(filepath.Join(dir, "here"), 0o700); err != nil {
		t.Fatal(err)
	}
	timer, err := k.Arm(t.Context(), "a1", time.Minute)
	if err == nil || timer.PID != 0 || !strings.Contains(err.Error(), "keep this program for the timer") || len(copies(t, dir)) > 0 {
		t.Errorf("%+v, %v, %v", timer, err, copies(t, dir))
	}
}

// A sweep removes what Arm made, and nothing else.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	for name, ours := range map[string]bool{
		"unchoke-revert-0a": true, "unchoke-revert-": false, "unchoke-revert-xyz": false, "unchoke": false, "other": false,
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		(Timer{Dirs: []string{dir}}).Sweep("")
		if _, err := os.Stat(file); (err != nil) != ours {
			t.Errorf("%s: %v", name, err)
		}
	}
}
