// Package lab runs commands on emulated paths: two hosts, near and far, with a
// path between them that does to packets what its description says.
//
// A lab runs on one of two kinds of machine: a User-Mode Linux kernel in
// virtual time, which needs nothing of this host but its files, or namespaces
// of this host's own kernel in real time.
package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"unchoke/internal/lab/kernel"
	"unchoke/internal/lab/machine"
	"unchoke/internal/lab/stage"
	"unchoke/internal/lab/traffic"
	"unchoke/internal/path"
)

// Command is what to run on which path.
type Command struct {
	Path path.Path
	// Seed is where everything random on the path begins and, if it is not 0,
	// on a machine everything random at all: the same command, seed and input
	// then give the same output, byte by byte.
	Seed uint64
	Near []string // program and arguments
	Far  string   // shell command that runs meanwhile; may be empty

	NearSysctl []string // KEY=VALUE
	FarSysctl  []string

	Env []string // nil: this process's
	Dir string   // working directory; empty: this process's
	RW  []string // host directories that near and far may change

	Stdin          io.Reader // nil: empty
	Stdout, Stderr io.Writer // nil: discarded
	FarOutput      io.Writer // nil: shown on Stderr if far fails
	Terminal       *os.File  // not nil: near gets a terminal of this one's size
	// Signals are passed on to near's processes. After one that asks them to
	// end they have a second.
	Signals <-chan os.Signal

	OnHost bool // namespaces of this kernel instead of a machine

	// Of a machine only:
	Kernel       string // a file, or a key of kernel.Find; empty: the default
	Memory       int    // MiB; 0: machine.DefaultMemory
	StallTimeout time.Duration
}

// settle is what far has to get ready before near starts. In virtual time it
// passes only while far has nothing to do; in real time far had better be
// quick.
const (
	settleVirtual = 100 * time.Millisecond
	settleReal    = 500 * time.Millisecond
)

// Main makes this process what a lab needs inside, where it was started as
// that, and then never returns. A program that calls Exec calls it first in
// main; a test does in TestMain.
func Main() {
	machine.Main()
	traffic.Main()
	hostMain()
}

// Exec runs the command and returns near's exit status: 127 if there is no such
// program, 126 if it cannot be run, 128 + the signal that ended it. An error
// with status 126 or 127 is a *stage.Failure; with any other error the status
// is 1. When Exec returns, nothing of the lab is left.
func Exec(ctx context.Context, c Command) (status int, err error) {
	if err := c.complete(); err != nil {
		return 1, err
	}
	job, err := c.job()
	if err != nil {
		return 1, err
	}
	if c.OnHost {
		status, err = runOnHost(ctx, c, job)
	} else {
		status, err = runOnMachine(ctx, c, job)
	}
	var failure *stage.Failure
	switch {
	case errors.As(err, &failure):
		return failure.Status, err
	case err != nil:
		return 1, err
	}
	return status, nil
}

// complete checks the command and fills in its defaults.
func (c *Command) complete() error {
	if len(c.Near) == 0 {
		return errors.New("no command to run on near")
	}
	for _, settings := range [][]string{c.NearSysctl, c.FarSysctl} {
		if err := stage.CheckSettings(settings); err != nil {
			return err
		}
	}
	if c.Env == nil {
		c.Env = os.Environ()
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return fmt.Errorf("working directory: %w", err)
	}
	c.Dir = dir
	rw := make([]string, len(c.RW))
	for i, d := range c.RW {
		if rw[i], err = writable(d); err != nil {
			return err
		}
	}
	c.RW = rw
	if c.Stdout == nil {
		c.Stdout = io.Discard
	}
	if c.Stderr == nil {
		c.Stderr = io.Discard
	}
	return nil
}

// writable checks a directory that the lab may change and returns its absolute
// name without symbolic links.
func writable(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return "", fmt.Errorf("let the lab write: %w", err)
	}
	st, err := os.Stat(abs)
	if err != nil {
		return "", fmt.Errorf("let the lab write: %w", err)
	}
	if !st.IsDir() {
		return "", fmt.Errorf("let the lab write: %s is not a directory", dir)
	}
	for _, own := range ownDirs {
		inside, err := filepath.Rel(own.dir, abs)
		if err != nil {
			return "", fmt.Errorf("let the lab write: %w", err)
		}
		if inside == "." || own.below && filepath.IsLocal(inside) {
			return "", &stage.Failure{Message: fmt.Sprintf("let the lab write to %s: %s", dir, own.why), Next: own.next, Status: 1}
		}
	}
	return abs, nil
}

// ownDirs are directories of which a lab has its own, and so cannot have this
// host's to write to.
var ownDirs = []struct {
	dir       string
	below     bool // also what is below it
	why, next string
}{
	{"/", false, "the lab builds its root directory itself", "name the directory below it that the command writes to; everything else can be read"},
	{"/proc", true, "/proc shows the lab's own kernel", "--near-sysctl and --far-sysctl set what is below /proc/sys"},
	{"/sys", true, "/sys shows the lab's own devices", "leave it out: the command can write to the lab's own"},
	{"/dev", false, "/dev has the lab's own devices", "leave it out: the command can write to the lab's own"},
	{"/etc", false, "the lab names its hosts in its own /etc/hosts", "name the directory below it that the command writes to; everything else can be read"},
}

func (c Command) job() (stage.Job, error) {
	settle := settleVirtual
	if c.OnHost {
		settle = settleReal
	}
	mask, err := umask()
	if err != nil {
		return stage.Job{}, err
	}
	return stage.Job{
		Path: c.Path, Seed: c.Seed,
		Near: c.Near, Far: c.Far,
		NearSysctl: c.NearSysctl, FarSysctl: c.FarSysctl,
		Env: c.Env, Dir: c.Dir, Umask: mask,
		Settle: settle,
	}, nil
}

func runOnMachine(ctx context.Context, c Command, job stage.Job) (int, error) {
	k, err := kernel.Find(kernel.Places(), c.Kernel)
	if err != nil {
		return 1, err
	}
	return machine.Run(ctx, machine.Spec{
		Kernel: k, Seed: c.Seed, Memory: c.Memory, Job: job, Writable: c.RW,
		Stdin: c.Stdin, Stdout: c.Stdout, Stderr: c.Stderr, FarOutput: c.FarOutput,
		Terminal: c.Terminal, Signals: c.Signals, StallTimeout: c.StallTimeout,
	})
}
