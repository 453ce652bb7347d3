// Package stage runs the commands of a lab on the hosts of an emulated network:
// one on far, in the background, and one on near, whose end ends all. It is the
// same on either kind of machine: it runs as process 1 of a PID namespace, with
// root's capabilities and a root directory that may be changed.
package stage

import (
	"fmt"
	"syscall"
	"time"

	"unchoke/internal/hint"
	"unchoke/internal/path"
)

// Job says what runs on which network.
type Job struct {
	Path       path.Path `json:"path"`
	Seed       uint64    `json:"seed"`
	Near       []string  `json:"near"` // program and arguments
	Far        string    `json:"far"`  // shell command, may be empty
	NearSysctl []string  `json:"near_sysctl"`
	FarSysctl  []string  `json:"far_sysctl"`
	Env        []string  `json:"env"`
	Dir        string    `json:"dir"` // working directory of both commands
	Umask      int       `json:"umask"`
	// Settle is how long far has before near starts, on the machine's clock,
	// where there is a command for far.
	Settle time.Duration `json:"settle"`
}

func (j Job) settle() time.Duration {
	if j.Far == "" {
		return 0
	}
	return j.Settle
}

// Exit statuses of a command that could not be run, as of a shell (POSIX.1,
// Shell & Utilities, 2.8.2).
const (
	StatusNotExecutable = 126
	StatusNotFound      = 127
	// A command that a signal ended exits with signalBase + the signal.
	signalBase = 128
)

// Grace is what near has to end after a signal that asked it to.
const Grace = time.Second

// AsksToEnd tells whether a signal asks a program to end.
func AsksToEnd(sig syscall.Signal) bool {
	switch sig {
	case syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT:
		return true
	}
	return false
}

// SignalStatus is the exit status for a program that a signal ended.
func SignalStatus(sig syscall.Signal) int { return signalBase + int(sig) }

// Failure is what kept a job from running. It crosses from the machine to its
// user as JSON.
type Failure struct {
	Message string `json:"message"`
	Next    string `json:"hint,omitempty"`
	// Status is to be the exit status: 1, or what a shell would exit with.
	Status int `json:"status"`
}

func (f *Failure) Error() string { return f.Message }

// ExitStatus is what the failure calls for.
func (f *Failure) ExitStatus() int { return f.Status }

// Hint is the next step, or empty.
func (f *Failure) Hint() string { return f.Next }

func failure(status int, hint, format string, args ...any) *Failure {
	return &Failure{Message: fmt.Sprintf(format, args...), Next: hint, Status: status}
}

// asFailure makes any error one that can cross.
func asFailure(err error) *Failure {
	return &Failure{Message: err.Error(), Next: hint.Of(err), Status: 1}
}
