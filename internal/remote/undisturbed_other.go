//go:build !unix && !slim

package remote

import "os/exec"

// undisturbed is the command itself: this system has no such signals.
func undisturbed(name string, args ...string) *exec.Cmd { return exec.Command(name, args...) }
