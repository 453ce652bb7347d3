// Package timer starts what takes a trial of changes back when nobody confirms
// it: something that outlives the session, the terminal and the process that
// started it.
//
// Where systemd runs it is a transient unit of systemd's, since a session's end
// may kill every process that the session began. Elsewhere, and where systemd
// does not take it, it is a process in a session of its own.
package timer

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"unchoke/internal/tune/journal"
)

// Timer runs a command after a while.
type Timer struct {
	// Command is the program and its arguments for the round of that ID. A
	// process of its own is started at once and waits itself; it is told how
	// long.
	Command func(round string, wait time.Duration) []string
}

// booted is where systemd says that it is the init system (sd_booted(3)).
const booted = "/run/systemd/system"

// Arm starts the timer.
func (t Timer) Arm(ctx context.Context, round string, after time.Duration) (journal.Timer, error) {
	if _, err := os.Stat(booted); err == nil {
		if timer, err := unit(ctx, round, after, t.Command(round, 0)); err == nil {
			return timer, nil
		}
	}
	return process(t.Command(round, after))
}

// Disarm stops a timer that has nothing to do any more. One that has run out by
// itself is no error.
func (t Timer) Disarm(timer journal.Timer) error {
	if timer.Unit != "" {
		// Only the timer: its service may be the one that calls this.
		return exec.Command("systemctl", "stop", timer.Unit+".timer").Run()
	}
	return end(timer)
}

// unit has systemd start the command.
func unit(ctx context.Context, round string, after time.Duration, command []string) (journal.Timer, error) {
	name := "unchoke-revert-" + round
	arguments := append([]string{
		"--quiet", "--collect", "--unit=" + name,
		"--description=take back changes that nobody confirmed",
		fmt.Sprintf("--on-active=%dms", after.Milliseconds()),
		"--timer-property=AccuracySec=100ms",
		"--", // what follows is the command's
	}, command...)
	out, err := exec.CommandContext(ctx, "systemd-run", arguments...).CombinedOutput()
	if err != nil {
		return journal.Timer{}, fmt.Errorf("systemd-run: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return journal.Timer{Unit: name}, nil
}
