//go:build !slim

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"unchoke/internal/app/far"
	"unchoke/internal/app/rollout"
	"unchoke/internal/finding"
	"unchoke/internal/fleet"
	"unchoke/internal/remote"
	"unchoke/internal/remote/sshd"
	"unchoke/internal/remote/sshtest"
	fleetreport "unchoke/internal/report/fleet"
	"unchoke/internal/tune"
)

// A rollout to three real hosts: a conflict on one of them halts it before
// anything is touched; then it is done, verified, and reverted to the byte.
func TestFleet(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	t.Setenv("UNCHOKE_STATE_DIR", t.TempDir())
	own := owns(t)
	var hosts []*sshtest.Host
	var members []fleet.Member
	var lines, before []string
	for i := range 3 {
		h := sshtest.StartHost(t, sshtest.HostOptions{Options: sshd.Options{Env: []string{own}}})
		hosts, before = append(hosts, h), append(before, h.Run(t, farState))
		lines = append(lines, fmt.Sprintf("h%d ansible_host=127.0.0.1 ansible_port=%d ansible_user=%s ansible_ssh_common_args='-F %s'", i, h.Port, h.User, filepath.Join(h.Dir, "ssh_config")))
	}
	file := filepath.Join(t.TempDir(), "hosts.ini")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	read, _, err := rollout.Hosts(nil, file, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range read {
		members = append(members, fleet.Member{Host: h, Measured: &tune.Measured{
			Target: "near", RTT: 0.2, Up: &tune.Way{Rate: 20e6, Capacity: 1e9, CC: "cubic", Causes: []finding.Cause{finding.SendBuffer}},
		}})
	}
	conflict := "/etc/sysctl.d/99-zzz-other.conf"
	hosts[1].Run(t, "echo 'net.ipv4.tcp_wmem = 4096 16384 65536' >"+conflict)

	r := rollOut(t, members)
	if r.Halt == nil || r.Halt.Host != "h1" || r.Halt.Batch != -1 {
		t.Fatalf("halt %+v", r.Halt)
	}
	hosts[1].Run(t, "rm "+conflict)
	for i, h := range hosts {
		if now := h.Run(t, farState); now != before[i] {
			t.Errorf("h%d was touched:\n%s\nwas\n%s", i, now, before[i])
		}
	}

	r = rollOut(t, members)
	if !r.Done || fmt.Sprint(r.Batches) != "[1 2]" {
		t.Fatalf("done: %v, halt %+v, batches %v", r.Done, r.Halt, r.Batches)
	}
	for i, e := range r.Entries {
		if now := hosts[i].Run(t, farState); e.Stage != fleet.Kept || now == before[i] || !strings.Contains(now, "99-zz-unchoke.conf") {
			t.Errorf("%s is %s: %s", e.Host, e.Stage, now)
		}
	}
	if status, out, said := fleetVerb(t, "verify", "--hosts", file, "--json"); status != 0 {
		t.Errorf("verify: status %d\n%s\n%s", status, out, said)
	}
	status, out, said := fleetVerb(t, "revert", "--hosts", file, "--yes", "--json")
	var asked fleetreport.Asked
	if err := json.Unmarshal([]byte(out), &asked); err != nil || status != 0 || len(asked.Answers) != 3 {
		t.Errorf("revert: status %d, %v\n%s\n%s", status, err, out, said)
	}
	for i, h := range hosts {
		if now := h.Run(t, farState); now != before[i] {
			t.Errorf("h%d after revert:\n%s\nwas\n%s", i, now, before[i])
		}
	}
	if status, out, _ := fleetVerb(t, "status", "--hosts", file, "--limit", "h2"); status != 0 || !strings.Contains(out, "no changes") {
		t.Errorf("status: %d\n%s", status, out)
	}
}

// rollOut carries a rollout out without measurements, over hosts as the command
// opens them.
func rollOut(t *testing.T, members []fleet.Member) *fleet.Rollout {
	t.Helper()
	s := fleet.Settings{Batch: "1,5", Timeout: 120, Remedy: tune.Auto}
	r, err := fleet.NewRollout(fmt.Sprintf("r%d", len(t.Name())), "test", time.Now(), s, members)
	if err != nil {
		t.Fatal(err)
	}
	file, err := rollout.NewFile(r.ID)
	if err != nil {
		t.Fatal(err)
	}
	open := map[string]fleet.Host{}
	for _, m := range members {
		if open[m.Name], err = far.NewTuner(m.Target(), far.TunerOptions{Remote: remote.Options{Arguments: m.SSH, Batch: true}}); err != nil {
			t.Fatal(err)
		}
	}
	err = rollout.Roll(t.Context(), rollout.Request{
		Rollout: r, Parallel: 3, Now: time.Now, Wait: rollout.WaitFor, Save: file.Save,
		Host: func(e *fleet.Entry) fleet.Host { return open[e.Host] },
	})
	if err != nil {
		t.Fatal(err)
	}
	if loaded, err := file.Load(); err != nil || loaded.Done != r.Done {
		t.Errorf("its file: %v", err)
	}
	return r
}

// fleetVerb runs a command line here.
func fleetVerb(t *testing.T, args ...string) (status int, out, said string) {
	t.Helper()
	var o, e bytes.Buffer
	status = run(t.Context(), append([]string{"fleet"}, args...), nil, &o, &e)
	return status, o.String(), e.String()
}
