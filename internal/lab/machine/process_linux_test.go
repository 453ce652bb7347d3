package machine

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// How a machine ended is told by its signal and its log.
func TestCrash(t *testing.T) {
	const boot = "Linux version 6.12\nNET: Registered PF_INET\n"
	by := func(s unix.Signal) error {
		return exec.Command("sh", "-c", fmt.Sprintf("ulimit -c 0; kill -%d $$", s)).Run()
	}
	for _, c := range []struct {
		name            string
		ended           error
		log, what, hint string
		lines           int // of the log
	}{
		{"killed", by(unix.SIGKILL), boot, "killed from outside", "dmesg", 0},
		{"no room for its memory", by(unix.SIGBUS), boot, "no room for the lab machine's memory", "/dev/shm", 0},
		{"a panic", by(unix.SIGABRT), boot + panicLine + ": Fatal exception\nCall Trace:\n", "ended before its command", "--patch", 2},
		{"out of memory", by(unix.SIGABRT), boot + panicLine + ": System is deadlocked on memory\n", "ended before its command", "--memory", 1},
		{"an exit", exec.Command("sh", "-c", "exit 1").Run(), boot, "ended before its command", "--patch", 2},
		{"no end yet", nil, boot, "ended before its command", "--patch", 2},
	} {
		e := crash(c.ended, c.log)
		if !strings.Contains(e.Error(), c.what) || !strings.Contains(e.Hint(), c.hint) || len(e.Log) != c.lines {
			t.Errorf("%s: %v\nhint: %s", c.name, e, e.Hint())
		}
	}
}
