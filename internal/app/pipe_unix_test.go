//go:build unix && !slim

package app

import (
	"os/exec"
	"syscall"
	"testing"
)

// An interrupt on the terminal goes to this process's group alone.
func TestPipeHasItsOwnGroup(t *testing.T) {
	p, err := startPipe(exec.Command("cat"))
	if err != nil {
		t.Skip(err)
	}
	defer p.Close()
	if group, err := syscall.Getpgid(p.cmd.Process.Pid); err != nil || group != p.cmd.Process.Pid {
		t.Errorf("process %d is of group %d, %v", p.cmd.Process.Pid, group, err)
	}
}
