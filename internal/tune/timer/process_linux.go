package timer

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"unchoke/internal/tune/journal"
)

// detached is the command in a session of its own, with no terminal to lose and
// no directory to hold.
func detached(command []string) *exec.Cmd {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// process starts the command, with no stream to block on.
func process(command []string) (journal.Timer, error) {
	cmd := detached(command)
	if err := cmd.Start(); err != nil {
		return journal.Timer{}, err
	}
	pid := cmd.Process.Pid
	started, err := startTime(pid)
	if err != nil {
		return journal.Timer{}, errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	go func() { _ = cmd.Wait() }() // where it ends before we do
	return journal.Timer{PID: pid, Started: started}, nil
}

// end ends the process, if it still is the same one.
func end(timer journal.Timer) error {
	if timer.PID <= 0 || timer.PID == os.Getpid() {
		return nil
	}
	fd, err := unix.PidfdOpen(timer.PID, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("end process %d: %w", timer.PID, err)
	}
	defer unix.Close(fd)
	// The number may be another's by now; that of the descriptor is not.
	if started, err := startTime(timer.PID); err != nil || started != timer.Started {
		return nil
	}
	if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); !errors.Is(err, unix.ESRCH) {
		return err
	}
	return nil // it ended meanwhile
}

// startTime is when a process began, in clock ticks since boot (proc(5), field
// 22 of stat).
func startTime(pid int) (uint64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, fmt.Errorf("look at process %d: %w", pid, err)
	}
	return parseStartTime(string(b))
}

func parseStartTime(stat string) (uint64, error) {
	// The second field is the name in parentheses, which may hold anything.
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	const at = 22 - 3
	if len(fields) <= at {
		return 0, fmt.Errorf("%q is no process's stat", stat)
	}
	return strconv.ParseUint(fields[at], 10, 64)
}
