//go:build unix

package app

import (
	"os/exec"
	"syscall"
)

// impersonate gives a command the user's rights and no others: no group of
// root's stays.
func (i *invoker) impersonate(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: i.uid, Gid: i.gid, Groups: []uint32{}}}
	return nil
}
