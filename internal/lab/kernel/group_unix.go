//go:build unix

package kernel

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a child into its own process group and makes its context kill
// the whole of it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
