package machine

import (
	"io"
	"os"
	"time"

	"unchoke/internal/lab/kernel"
	"unchoke/internal/lab/stage"
)

// Spec says what to run in a machine and with whose streams.
type Spec struct {
	Kernel kernel.Info
	// Seed, if not 0, is where the kernel's random numbers begin. Such a machine
	// starts its clock at SeededStart, and two that run the same do the same.
	Seed   uint64
	Memory int   // MiB; 0 is DefaultMemory
	CPUs   []int // that it may run on, one of them; nil: any of this process's
	Job    stage.Job
	// Writable are host directories that the job may change.
	Writable []string

	Stdin          io.Reader // nil: empty
	Stdout, Stderr io.Writer
	// FarOutput receives what far writes. Nil keeps the end of it, which is
	// written to Stderr where far fails.
	FarOutput io.Writer
	// Terminal, if not nil, gives near a terminal of the size of this one.
	// Its input and output are Stdin and Stdout.
	Terminal *os.File

	// Signals are passed on to near. One that asks a program to end gives it
	// a second; the next one ends the machine at once.
	Signals <-chan os.Signal
	// StallTimeout is how long, on this host's clock, virtual time may stand
	// still; 0 is DefaultStallTimeout.
	StallTimeout time.Duration
	// Beat is how often, in virtual time, the machine says that time goes on; 0
	// is DefaultBeat. What takes less of the host's time for a virtual second
	// than most can afford a longer one: each costs a dozen system calls.
	Beat time.Duration
}

// Defaults of a Spec.
const (
	DefaultMemory       = 1024 // MiB: from 768 on, the kernel's own tcp_rmem is what a stock host has
	DefaultStallTimeout = 60 * time.Second
	DefaultBeat         = time.Second
)

// SeededStart is when a machine with a seed believes to be started.
var SeededStart = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
