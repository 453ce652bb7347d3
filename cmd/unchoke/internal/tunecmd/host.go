//go:build !slim

package tunecmd

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/hint"
	"unchoke/internal/linux/proc"
	planreport "unchoke/internal/report/plan"
	"unchoke/internal/tune"
	"unchoke/internal/tune/apply"
	"unchoke/internal/tune/disk"
	"unchoke/internal/tune/host"
	"unchoke/internal/tune/journal"
	"unchoke/internal/tune/outcome"
	"unchoke/internal/tune/timer"
)

// The directory of the journal has to outlast a reboot. On OpenWrt /var is in
// memory; what is below /etc/unchoke outlasts an upgrade of the firmware too,
// since the package lists it (packaging/openwrt/files/unchoke.keep).
const (
	DefaultDir = "/var/lib/unchoke/tune"
	openWrtDir = "/etc/unchoke/tune"
)

// Dir is the journal's directory on a host with these files.
func Dir(host fs.FS) string {
	if _, err := fs.Stat(host, "etc/openwrt_release"); err == nil {
		return openWrtDir
	}
	return DefaultDir
}

// actFlags are what every command takes that acts on the host.
type actFlags struct {
	dir     string
	json    bool
	process bool // the timer is one where systemd runs, too
}

func (f *actFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.dir, "state", Dir(os.DirFS("/")), "keep the journal in `DIR`")
	_ = cmd.MarkFlagDirname("state")
	cli.AddJSONFlag(cmd, &f.json)
}

// tuner is this host's.
func (f actFlags) tuner() (*apply.Tuner, error) {
	// The timer runs in another directory, and so may the next command.
	dir, err := filepath.Abs(f.dir)
	if err != nil {
		return nil, fmt.Errorf("find the directory %s: %w", f.dir, err)
	}
	boot, err := proc.BootID()
	if err != nil {
		return nil, cli.WithHint(err, "only Linux hosts can be tuned")
	}
	netns, _ := proc.Netns("self") // a kernel may have one only, and no name for it
	apart := !proc.InNetnsOfInit()
	// A unit of systemd's would run in the namespace of systemd.
	f.process = f.process || apart
	arms, err := f.timer(dir)
	if err != nil {
		return nil, err
	}
	return &apply.Tuner{
		Host: host.Host{Disk: disk.OS{}}, Disk: disk.OS{},
		Dir: dir, Boot: boot, Netns: netns, Apart: apart, Version: cli.ProgramVersion(), Timer: arms,
		Now:    time.Now,
		Lock:   func(ctx context.Context) (func(), error) { return journal.Lock(ctx, dir) },
		Random: func(b []byte) { _, _ = rand.Read(b) }, // never fails
	}, nil
}

// timer takes this host's changes back. It runs this program, and a copy where the
// program's file is gone, as that of one that was delivered over SSH.
func (f actFlags) timer(dir string) (apply.Timer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program for the timer: %w", err)
	}
	command := func(program, round string, arguments ...string) []string {
		return append([]string{program, "tune", "revert", "--state", dir, "--expired", round}, arguments...)
	}
	dirs := []string{"/run", dir, "/usr/local/libexec", "/tmp"}
	mark := "" // as earlier versions know it
	if dir != Dir(os.DirFS("/")) {
		mark = timer.Mark(dir)
	}
	if _, err := os.Stat(self); err != nil {
		return timer.Kept{Program: "/proc/self/exe", Dirs: dirs, Mark: mark, Command: command, Process: f.process}, nil
	}
	return timer.Timer{Process: f.process, Dirs: dirs, Mark: mark, Command: func(round string, arguments ...string) []string {
		return command(self, round, arguments...)
	}}, nil
}

// show prints what a command did.
func showOutcome(a *cli.App, o outcome.Outcome, f actFlags) error {
	o.Schema = outcome.OutcomeSchema
	if o.Changes == nil {
		o.Changes = []tune.Change{}
	}
	if f.json {
		return a.PrintJSON(o)
	}
	return planreport.OutcomeText(a.Stdout, o, a.Style())
}

// exitError is an error with an exit status of its own.
type exitError struct {
	error
	status int
}

func (e *exitError) Unwrap() error   { return e.error }
func (e *exitError) ExitStatus() int { return e.status }

// tuneError gives an error the status that tells a script how the host was
// left, and a next step where permission is missing.
func tuneError(err error) error {
	if err == nil {
		return nil
	}
	if _, reverted := errors.AsType[*apply.RevertedError](err); reverted {
		return &exitError{err, outcome.ExitReverted}
	}
	if apply.Refused(err) {
		return &exitError{err, outcome.ExitRefused}
	}
	if hint.Of(err) == "" && errors.Is(err, fs.ErrPermission) {
		return &exitError{cli.WithHint(err, "run it as root (sudo)"), outcome.ExitRefused}
	}
	if hint.Of(err) == "" && errors.Is(err, syscall.ENOSPC) {
		return cli.WithHint(err, "free space on that disk, then: unchoke tune status")
	}
	return err
}
