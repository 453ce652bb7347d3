//go:build unix && !slim

package app

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps the terminal's signals from a command.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
