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

// A sweep removes what Arm made for the same journal, and nothing else.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	of := map[string]Timer{}
	for name, mark := range map[string]string{"default": "", "a": Mark("/a"), "b": Mark("/b")} {
		of[name] = Timer{Dirs: []string{dir}, Mark: mark}
	}
	for name, whose := range map[string]string{
		"unchoke-revert-0a": "default", "unchoke-revert-" + Mark("/a") + "-0a": "a", "unchoke-revert-" + Mark("/b") + "-0a": "b",
		"unchoke-revert-": "", "unchoke-revert-xyz": "", "unchoke-revert-" + Mark("/a") + "-": "", "unchoke": "", "other": "",
	} {
		for who, timer := range of {
			file := filepath.Join(dir, name)
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			timer.Sweep("")
			if _, err := os.Stat(file); (err != nil) != (who == whose) {
				t.Errorf("%s, swept by the journal %s: %v", name, who, err)
			}
		}
	}
}

// Trials of two journals wait side by side, and each copy goes with its own.
func TestKeptOfTwoJournals(t *testing.T) {
	dir := t.TempDir()
	a := kept(t, dir, "here")
	for _, name := range []string{"here", "round"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	b := a
	b.Mark = Mark("/b")
	first, err := a.Arm(t.Context(), "a1", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	b.Sweep("")
	second, err := b.Arm(t.Context(), "b1", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	a.Sweep(first.Program)
	if got := copies(t, dir); len(got) != 2 {
		t.Errorf("of two trials there are %v", got)
	}
	if err := (Timer{}).Disarm(second); err != nil {
		t.Error(err)
	}
	if got := copies(t, dir); len(got) != 1 || got[0] != first.Program {
		t.Errorf("the second disarmed: %v", got)
	}
	if err := a.Disarm(first); err != nil {
		t.Error(err)
	}
}
