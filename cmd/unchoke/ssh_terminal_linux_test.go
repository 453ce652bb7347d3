package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"unchoke/cmd/unchoke/internal/ttytest"
	"unchoke/internal/probe/servertest"
	"unchoke/internal/remote/sshd"
	"unchoke/internal/remote/sshtest"
)

// askOnTerminal begins a check of a target from a host whose key ssh asks about.
func askOnTerminal(t *testing.T, target string) (p *exec.Cmd, master *os.File, seen *ttytest.Recorder) {
	t.Helper()
	server := sshtest.Start(t, sshtest.Options{Options: sshd.Options{ClientLines: []string{
		"StrictHostKeyChecking ask", "UserKnownHostsFile " + filepath.Join(t.TempDir(), "known_hosts"),
	}}})
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Setenv("UNCHOKE_STATE_DIR", t.TempDir())
	p, master, seen, _ = runOnTerminal(t, "check", target, "--from", server.Target(), "--from", server.Server.Target("localhost"))
	ttytest.Resize(t, master, 250, 24)
	seen.Until(t, "Are you sure you want to continue connecting")
	return p, master, seen
}

// ssh asks on the terminal, and ^C there does not end it: what the other place had
// measured until then is kept.
func TestInterruptedOnTerminal(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	target := servertest.Serve(t).String()
	p, master, seen := askOnTerminal(t, target)
	if _, err := master.WriteString("yes\n"); err != nil {
		t.Fatal(err)
	}
	seen.Until(t, "one stream up")
	if _, err := master.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err == nil {
		t.Errorf("an interrupted check ends well:\n%s", seen)
	}
	list := exec.Command(p.Path, "record", "list")
	list.Args[0] = "unchoke"
	kept, err := list.CombinedOutput()
	if err != nil || !bytes.Contains(kept, []byte(target)) {
		t.Errorf("kept: %s, %v\n%s", kept, err, seen)
	}
}

// ^C at ssh's question ends it and the check.
func TestQuestionOnTerminal(t *testing.T) {
	p, master, seen := askOnTerminal(t, "127.0.0.1:1")
	if _, err := master.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err == nil {
		t.Errorf("an interrupted check ends well:\n%s", seen)
	}
	seen.Until(t, "unchoke: interrupted")
	if names, err := filepath.Glob(filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "*")); err != nil || len(names) > 0 {
		t.Errorf("left: %v, %v", names, err)
	}
}
