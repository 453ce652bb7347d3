//go:build unix && !slim

package remote

import "os/exec"

// undisturbed is a command that the terminal's ^C does not end, nor its closing:
// this process hears of both, and ends the command when it is time. The command
// finds the signals ignored. In a process group of its own it could not ask on the
// terminal. ssh leaves ignored what it finds ignored, and a question of its own
// still ends with ^C.
func undisturbed(name string, args ...string) *exec.Cmd {
	return exec.Command("sh", append([]string{"-c", `trap "" HUP INT; exec "$@"`, "sh", name}, args...)...)
}
