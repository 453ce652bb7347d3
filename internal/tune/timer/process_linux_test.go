package timer

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"unchoke/internal/tune/journal"
)

func TestParseStartTime(t *testing.T) {
	stat := "42 (a) (b) S 1 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 8765 2 3\n"
	if got, err := parseStartTime(stat); err != nil || got != 8765 {
		t.Errorf("%d, %v", got, err)
	}
	for n := range stat[:60] {
		if got, err := parseStartTime(stat[:n]); err == nil && got != 8765 {
			t.Errorf("cut to %d: %d", n, got)
		}
	}
}

// The process has a session of its own: what ends ours does not reach it.
func TestProcess(t *testing.T) {
	proof := filepath.Join(t.TempDir(), "proof")
	timer, err := process([]string{"/bin/sh", "-c", "sleep 0.2; echo > " + proof})
	if err != nil {
		t.Fatal(err)
	}
	sid, err := unix.Getsid(timer.PID)
	if err != nil || sid != timer.PID {
		t.Errorf("session %d of process %d, %v", sid, timer.PID, err)
	}
	for range 100 {
		if _, err := os.Stat(proof); err == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("the command did not run")
}

func TestEnd(t *testing.T) {
	timer, err := process([]string{"/bin/sleep", "60"})
	if err != nil {
		t.Fatal(err)
	}
	other := timer
	other.Started++
	if err := end(other); err != nil {
		t.Error(err)
	}
	if err := unix.Kill(timer.PID, 0); err != nil {
		t.Errorf("a process that was started at another time was ended: %v", err)
	}
	if err := end(timer); err != nil {
		t.Error(err)
	}
	for range 100 {
		if unix.Kill(timer.PID, 0) != nil {
			if err := end(timer); err != nil {
				t.Errorf("ended twice: %v", err)
			}
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("it runs on")
}

// What would not find its round when it runs is no timer.
func TestArmLooks(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("round", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	absolute, err := filepath.Abs("round")
	if err != nil {
		t.Fatal(err)
	}
	for name, finds := range map[string]bool{"round": false, absolute: true} {
		proof := filepath.Join(t.TempDir(), "proof")
		timer := Timer{Process: true, Command: func(round string, arguments ...string) []string {
			script := "test -e " + name + " || { echo no " + round + " >&2; exit 1; }; test $1 = --find || echo $2 >" + proof
			return append([]string{"/bin/sh", "-c", script, "sh"}, arguments...)
		}}
		armed, err := timer.Arm(t.Context(), "a1", time.Minute)
		if (err == nil) != finds || err != nil && !strings.Contains(err.Error(), "no a1") {
			t.Errorf("%s: %v", name, err)
		}
		if !finds {
			continue
		}
		for range 100 {
			if b, err := os.ReadFile(proof); err == nil && string(b) == "1m0s\n" {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if b, err := os.ReadFile(proof); err != nil || string(b) != "1m0s\n" {
			t.Errorf("%s: %q, %v", name, b, err)
		}
		if err := timer.Disarm(armed); err != nil {
			t.Error(err)
		}
	}
}

// Where systemd runs and refuses, there is no process in its place, unless one is
// asked for.
func TestSystemdRefuses(t *testing.T) {
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	script := "#!/bin/sh\necho Failed to start transient service unit: Access denied >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(dir, "systemd-run"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	timer := Timer{booted: dir, Command: func(_ string, arguments ...string) []string {
		return []string{"/bin/sh", "-c", "test $1 = --find || echo >" + started, "sh", arguments[0]}
	}}
	armed, err := timer.Arm(t.Context(), "a1", time.Minute)
	var refused *SystemdError
	if !errors.As(err, &refused) || armed != (journal.Timer{}) || !strings.Contains(err.Error(), "Access denied") || !strings.Contains(refused.Hint(), "--timer process") {
		t.Errorf("%+v, %v", armed, err)
	}
	timer.Process = true
	if armed, err = timer.Arm(t.Context(), "a1", time.Minute); err != nil || armed.PID == 0 {
		t.Fatalf("%+v, %v", armed, err)
	}
	for range 100 {
		if _, err = os.Stat(started); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err != nil {
		t.Error("the process that was asked for did not run")
	}
	// Without systemd-run it is no better.
	timer.Process = false
	t.Setenv("PATH", t.TempDir())
	if armed, err := timer.Arm(t.Context(), "a1", time.Minute); !errors.As(err, &refused) {
		t.Errorf("%+v, %v", armed, err)
	}
}

func TestEndNothing(t *testing.T) {
	if err := end(journal.Timer{PID: os.Getpid()}); err != nil {
		t.Error(err)
	}
}
