//go:build !slim

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/app/far"
	"unchoke/internal/finding"
	"unchoke/internal/fleet"
	"unchoke/internal/hint"
	"unchoke/internal/remote"
	"unchoke/internal/remote/sshd"
	"unchoke/internal/remote/sshtest"
	"unchoke/internal/tune"
	"unchoke/internal/tune/outcome"
)

// farState is all that a plan for a host may change, and what a program that was
// brought there may leave.
const farState = `sysctl net.ipv4.tcp_congestion_control net.ipv4.tcp_allowed_congestion_control net.ipv4.tcp_wmem
find /etc/sysctl.d /etc/modules-load.d -printf '%p %m %U %G %l\n' | sort
find /etc/sysctl.d /etc/modules-load.d -type f -exec sha256sum {} + | sort`

// farLeft are the files and processes of unchoke's on a host, but its journal.
const farLeft = `ls -d /run/unchoke* /run/home/unchoke* /var/lib/unchoke/tune/unchoke* 2>/dev/null; ls -l /proc/[0-9]*/exe 2>/dev/null | grep 'unchoke' || true`

// tuneOn runs a command line here.
func tuneOn(t *testing.T, args ...string) (status int, out, said string) {
	t.Helper()
	var o, e bytes.Buffer
	status = run(t.Context(), append([]string{"tune"}, args...), nil, &o, &e)
	return status, o.String(), e.String()
}

func outcomeOf(t *testing.T, out string) outcome.Outcome {
	t.Helper()
	var o outcome.Outcome
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	return o
}

// sendBuffer is a path on which the far host's send buffer is the limit: the plan
// raises tcp_wmem, which every network namespace has.
func sendBuffer(t *testing.T) (flag string) {
	t.Helper()
	text, err := json.Marshal(tune.Measured{
		Target: "near", RTT: 0.2, Up: &tune.Way{Rate: 20e6, Capacity: 1e9, CC: "cubic", Causes: []finding.Cause{finding.SendBuffer}},
	})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "measured.json")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return "--measured=" + name
}

// owns gives a host this program as its own.
func owns(t *testing.T) (path string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Link(self, filepath.Join(dir, "unchoke")); err != nil {
		t.Fatal(err)
	}
	return "PATH=" + dir + ":/usr/sbin:/usr/bin:/sbin:/bin"
}

// A host that has nothing but sshd is tuned, and back as it was to the byte.
// What the timer runs is there as long as the trial waits.
func TestTuneOnDelivered(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	t.Setenv("UNCHOKE_STATE_DIR", t.TempDir())
	host := sshtest.StartHost(t, sshtest.HostOptions{})
	before, measured := host.Run(t, farState), sendBuffer(t)

	status, out, said := tuneOn(t, "apply", "--yes", "--json", measured, "--timeout", "10m", "--on", host.Target())
	if status != 0 {
		t.Fatalf("apply: status %d\n%s", status, said)
	}
	if o := outcomeOf(t, out); o.Result != outcome.Applied || o.Host != host.Target() || o.Verification == nil {
		t.Errorf("apply: %+v", o)
	}
	if !strings.Contains(said, "/run/unchoke-revert-") {
		t.Errorf("apply does not say what persists:\n%s", said)
	}
	if applied := host.Run(t, farState); applied == before || !strings.Contains(applied, "99-zz-unchoke.conf") {
		t.Errorf("applied: %s", applied)
	}
	host.Await(t, `test -z "$(`+farLeft+`)"`)
	if status, _, said := tuneOn(t, "revert", "--on", host.Target()); status != 0 {
		t.Errorf("revert: status %d\n%s", status, said)
	}
	if after := host.Run(t, farState); after != before {
		t.Errorf("after revert:\n%s\nwas\n%s", after, before)
	}

	status, out, said = tuneOn(t, "try", "--json", measured, "--timeout", "5s", "--on", host.Target())
	o := outcomeOf(t, out)
	if status != 0 || o.Timer == nil || o.Timer.Program == "" {
		t.Fatalf("try: status %d, %+v\n%s", status, o, said)
	}
	// Nobody confirms: the timer takes the changes back, and goes.
	host.Await(t, `test -z "$(`+farLeft+`)"`)
	if after := host.Run(t, farState); after != before {
		t.Errorf("after the timer:\n%s\nwas\n%s", after, before)
	}
}

// Every verb does there what it does here.
func TestTuneOnVerbs(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	t.Setenv("UNCHOKE_STATE_DIR", t.TempDir())
	host := sshtest.StartHost(t, sshtest.HostOptions{Options: sshd.Options{Env: []string{owns(t)}}})
	before, measured := host.Run(t, farState), sendBuffer(t)
	plan := filepath.Join(t.TempDir(), "plan.json")
	on := []string{"--on", host.Target()}
	does := func(want int, words string, args ...string) (out string) {
		t.Helper()
		status, out, said := tuneOn(t, append(args, on...)...)
		if status != want || !strings.Contains(out+said, words) {
			t.Fatalf("%v: status %d, want %d and %q\n%s\n%s", args, status, want, words, out, said)
		}
		return out
	}
	does(outcome.ExitPending, "plan  for "+host.Target(), "plan", measured, "--out", plan)
	if status, _, said := tuneOn(t, "apply", "--yes", plan); status != outcome.ExitRefused || !strings.Contains(said, "is for "+host.Target()) {
		t.Errorf("another host's plan is applied here: %d, %s", status, said)
	}
	o := outcomeOf(t, does(0, "tried", "try", plan, "--json", "--timeout", "10m"))
	if o.Persist || o.Round == "" {
		t.Errorf("try: %+v", o)
	}
	does(0, "taken back at", "status")
	does(0, "everything is in force", "verify")
	does(cli.StatusFailed, "not the token", "confirm", "aaaa-aaaa")
	does(0, "unchoke tune apply --on "+host.Target()+" makes them permanent", "confirm", o.Token)
	does(0, "applied", "apply", "--yes", measured, "--timeout", "10m")
	does(0, "nothing to change", "apply", "--yes", measured)
	does(outcome.ExitRefused, "the host has changed since", "apply", "--yes", plan)
	does(0, "taken back", "revert")
	does(0, "no changes", "status")
	if after := host.Run(t, farState); after != before {
		t.Errorf("after revert:\n%s\nwas\n%s", after, before)
	}
	// A trial that is begun to persist.
	o = outcomeOf(t, does(0, "tried", "try", plan, "--json", "--persist", "--timeout", "10m"))
	does(0, "applied", "confirm", o.Token)
	if applied := host.Run(t, farState); !strings.Contains(applied, "99-zz-unchoke.conf") {
		t.Errorf("confirmed: %s", applied)
	}
	does(0, "taken back", "revert")
	// Another journal: what is printed leads to it.
	elsewhere := []string{"--state", "/run/else"}
	flags := "--on " + host.Target() + " --state /run/else"
	does(0, "unchoke tune confirm "+flags, append([]string{"try", plan, "--timeout", "10m"}, elsewhere...)...)
	does(outcome.ExitRefused, "unchoke tune revert "+flags, append([]string{"try", plan}, elsewhere...)...)
	does(0, "taken back", append([]string{"revert"}, elsewhere...)...)
	// One that was kept until the next reboot is made permanent by another.
	o = outcomeOf(t, does(0, "tried", "try", plan, "--json", "--timeout", "10m"))
	does(0, "confirmed", "confirm", o.Token)
	does(0, "nothing to change", "try", measured)
	o = outcomeOf(t, does(0, "tried", "try", measured, "--json", "--persist", "--timeout", "10m"))
	does(0, "applied", "confirm", o.Token)
	if applied := host.Run(t, farState); !strings.Contains(applied, "99-zz-unchoke.conf") {
		t.Errorf("made permanent: %s", applied)
	}
	does(0, "taken back", "revert")
}

// The link breaks silently during a trial, and after another one no new connection
// opens: the far host is as it was, without a word from here.
func TestTuneOnLost(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	t.Setenv("UNCHOKE_STATE_DIR", t.TempDir())
	host := sshtest.StartHost(t, sshtest.HostOptions{Options: sshd.Options{Env: []string{owns(t)}}})
	before, measured := host.Run(t, farState), sendBuffer(t)
	reverted := func(what string) {
		t.Helper()
		host.Await(t, `test "$(sysctl -n net.ipv4.tcp_wmem)" = "`+wmemOf(before)+`"`)
		host.Await(t, `test -z "$(`+farLeft+`)"`)
		if after := host.Run(t, farState); after != before {
			t.Errorf("after %s:\n%s\nwas\n%s", what, after, before)
		}
	}

	var down atomic.Bool
	there, err := far.NewTuner(fmt.Sprintf("ssh://%s@127.0.0.1:%d", host.User, relay(t, host.Port, &down)), far.TunerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer there.Close()
	text, err := os.ReadFile(strings.TrimPrefix(measured, "--measured="))
	if err != nil {
		t.Fatal(err)
	}
	var m *tune.Measured
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	p, err := there.Plan(t.Context(), fleet.Order{Measured: m})
	if err != nil {
		t.Fatal(err)
	}
	if o, err := there.Try(t.Context(), p, 10*time.Second); err != nil || o.Token == "" {
		t.Fatalf("try: %+v, %v", o, err)
	}
	down.Store(true)
	if _, err := there.Verify(t.Context()); !errors.Is(err, fleet.ErrLost) {
		t.Errorf("over a link that is down: %v", err)
	}
	reverted("a link that is down")

	host.Admits.Store(1)
	status, _, said := tuneOn(t, "apply", "--yes", measured, "--timeout", "5s", "--on", host.Target())
	if status != outcome.ExitReverted || !strings.Contains(said, "takes every change back by itself at") {
		t.Errorf("without a new connection: status %d\n%s", status, said)
	}
	reverted("a connection that did not open")
}

func wmemOf(state string) string {
	_, value, _ := strings.Cut(state, "net.ipv4.tcp_wmem = ")
	value, _, _ = strings.Cut(value, "\n")
	return value
}

// Sudo gives root's rights by its own rules; a password goes through ssh's input
// alone.
func TestTuneOnBecome(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	if _, err := exec.LookPath("sudo"); err != nil {
		t.Skip("needs sudo: apt-get install sudo")
	}
	t.Setenv("UNCHOKE_STATE_DIR", t.TempDir())
	host := sshtest.StartHost(t, sshtest.HostOptions{Login: "tuner", Options: sshd.Options{Env: []string{owns(t)}}})
	status := func(password, binary string) (root bool, err error) {
		t.Helper()
		asked := 0
		there, err := far.NewTuner(host.Target(), far.TunerOptions{Remote: remote.Options{FarBinary: binary, Become: true, Password: func(context.Context) (string, error) {
			if asked++; password == "" {
				return "", remote.ErrNoTerminal
			}
			return password, nil
		}}})
		if err != nil {
			t.Fatal(err)
		}
		defer there.Close()
		facts, err := there.Look(t.Context())
		if err == nil && password != "" {
			shown := host.Run(t, `cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n'`)
			if strings.Contains(shown, "correct horse") || !strings.Contains(shown, "session") {
				t.Error("the password is among the arguments or in the environment of a process")
			}
		}
		if want := min(1, len(password)); asked > 1 || err == nil && asked != want {
			t.Errorf("asked %d times for a password", asked)
		}
		return facts.Root, err
	}
	for name, c := range map[string]struct {
		sudoers, password string
		what, hint        string // of the error; empty is none
	}{
		"free":       {"tuner ALL=(root) NOPASSWD: ALL", "", "", ""},
		"free, pty":  {"Defaults use_pty\ntuner ALL=(root) NOPASSWD: ALL", "", "", ""},
		"password":   {"tuner ALL=(root) ALL", sshtest.Password, "", ""},
		"in a pty":   {"Defaults use_pty, timestamp_timeout=0\ntuner ALL=(root) ALL", sshtest.Password, "", ""},
		"nobody":     {"tuner ALL=(root) ALL", "", "its sudo wants a password", "in a terminal"},
		"wrong":      {"tuner ALL=(root) ALL", "guessed", "refused the password", "sudo true"},
		"no rule":    {"root ALL=(ALL) ALL", sshtest.Password, "has no rule for this user", "visudo"},
		"terminal":   {"Defaults requiretty\ntuner ALL=(root) NOPASSWD: ALL", "", "wants a terminal", "requiretty"},
		"other rule": {"tuner ALL=(root) /bin/true", sshtest.Password, "does not allow this user to run unchoke", "visudo"},
	} {
		host.Run(t, "printf '%s\n' '"+c.sudoers+"' >/etc/sudoers; chmod 440 /etc/sudoers; rm -rf /run/sudo")
		root, err := status(c.password, "")
		switch {
		case c.what == "" && (err != nil || !root):
			t.Errorf("%s: root %v, %v", name, root, err)
		case c.what != "":
			if !errors.Is(err, fleet.ErrRefused) || !strings.Contains(err.Error(), c.what) || !strings.Contains(hint.Of(err), c.hint) {
				t.Errorf("%s: %v, hint %q", name, err, hint.Of(err))
			}
		}
	}
	// What is brought there is run by sudo, too.
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	host.Run(t, "echo 'tuner ALL=(root) ALL' >/etc/sudoers; rm -rf /run/sudo")
	if root, err := status(sshtest.Password, self); err != nil || !root {
		t.Errorf("delivered: root %v, %v", root, err)
	}
	// Without rights a trial is refused, with the next step.
	code, _, said := tuneOn(t, "try", sendBuffer(t), "--on", host.Target())
	if code != outcome.ExitRefused || !strings.Contains(said, "--become") {
		t.Errorf("without --become: status %d\n%s", code, said)
	}
	host.Run(t, "mount --bind /dev/null $(command -v sudo)")
	if _, err := status("", ""); err == nil || !strings.Contains(err.Error(), "sudo") {
		t.Errorf("without sudo: %v", err)
	}
	host.Await(t, `test -z "$(`+farLeft+`)"`)
}
