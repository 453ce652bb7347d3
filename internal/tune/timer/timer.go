// Package timer starts what takes a trial of changes back when nobody confirms
// it: something that outlives the session, the terminal and the process that
// started it.
//
// Where systemd runs it is a transient unit of systemd's, since a session's end
// may kill every process that the session began; where systemd does not take it,
// there is no timer, and nothing is tried. Elsewhere, and where it is asked for,
// it is a process in a session of its own, which dies with the container or the
// service that it was started in.
package timer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"time"

	"unchoke/internal/tune/journal"
)

// Timer runs a command after a while.
type Timer struct {
	// Command is the program and its arguments that take the round of that ID
	// back. With --wait and a time it waits that long first; with --find it only
	// looks for the round in its journal, and fails where it is not there.
	Command func(round string, arguments ...string) []string
	// Process takes a process where systemd runs, too.
	Process bool
	// Dirs are where a Kept of this host may have left a copy, and Mark is in the
	// copy's name, for Sweep.
	Dirs []string
	Mark string

	booted string // for tests; empty is the one below
}

// booted is where systemd says that it is the init system (sd_booted(3)).
const booted = "/run/systemd/system"

// SystemdError says that systemd runs and does not take the timer.
type SystemdError struct{ Err error }

func (e *SystemdError) Error() string {
	return fmt.Sprintf("systemd runs here and refuses it: %v", e.Err)
}
func (e *SystemdError) Unwrap() error { return e.Err }

// Hint is the next step.
func (e *SystemdError) Hint() string {
	return "systemctl is-system-running and journalctl -xe tell more; --timer process takes a process instead, which the end of this session may kill"
}

// Arm starts the timer. It first runs the command where the timer will run it,
// to see that it finds the round: another root, mount namespace or working
// directory would disarm it. Where systemd runs and refuses, the error is a
// *SystemdError.
func (t Timer) Arm(ctx context.Context, round string, after time.Duration) (journal.Timer, error) {
	if _, err := os.Stat(cmp.Or(t.booted, booted)); err == nil && !t.Process {
		timer, err := t.unit(ctx, round, after)
		if err != nil {
			return journal.Timer{}, &SystemdError{err}
		}
		return timer, nil
	}
	find := detached(t.Command(round, "--find"))
	if out, err := find.CombinedOutput(); err != nil {
		return journal.Timer{}, fmt.Errorf("%s: %w: %s", strings.Join(find.Args, " "), err, strings.TrimSpace(string(out)))
	}
	return process(t.Command(round, "--wait", after.String()))
}

// Disarm stops a timer that has nothing to do any more. One that has run out by
// itself is no error.
func (t Timer) Disarm(timer journal.Timer) error {
	var err error
	if timer.Unit != "" {
		// Only the timer: its service may be the one that calls this.
		err = exec.Command("systemctl", "stop", timer.Unit+".timer").Run()
	} else {
		err = end(timer)
	}
	// The copy of a Kept, which may be what runs this.
	if isCopy(timer.Program) {
		if gone := os.Remove(timer.Program); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}

// unit has systemd start the command.
func (t Timer) unit(ctx context.Context, round string, after time.Duration) (journal.Timer, error) {
	name := "unchoke-revert-" + round
	// The start of a one-shot service is over when its command is, and fails
	// with it. --wait would need a D-Bus daemon, which a small host may lack.
	find := append([]string{"--quiet", "--collect", "--service-type=oneshot", "--unit=" + name + "-find", "--"}, t.Command(round, "--find")...)
	if err := systemdRun(ctx, find); err != nil {
		return journal.Timer{}, err
	}
	arguments := append([]string{
		"--quiet", "--collect", "--unit=" + name,
		"--description=take back changes that nobody confirmed",
		fmt.Sprintf("--on-active=%dms", after.Milliseconds()),
		"--timer-property=AccuracySec=100ms",
		"--", // what follows is the command's
	}, t.Command(round)...)
	if err := systemdRun(ctx, arguments); err != nil {
		return journal.Timer{}, err
	}
	return journal.Timer{Unit: name}, nil
}

func systemdRun(ctx context.Context, arguments []string) error {
	out, err := exec.CommandContext(ctx, "systemd-run", arguments...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("systemd-run: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}
