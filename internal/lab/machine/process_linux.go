package machine

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"unchoke/internal/bounded"
	"unchoke/internal/linux/affinity"
)

// process is a running User-Mode Linux kernel.
type process struct {
	cmd  *exec.Cmd
	in   *os.File     // the serial line to the kernel
	out  *os.File     // the serial line from it
	log  bounded.Tail // what the kernel said
	done chan error
	cpu  *cpuSlot
}

// arguments are the kernel's command line.
func arguments(spec Spec) ([]string, error) {
	init, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program that becomes init: %w", err)
	}
	if strings.ContainsAny(init, "\"\n") {
		return nil, fmt.Errorf("the kernel cannot start %q as init: a quote or newline in its name", init)
	}
	args := []string{
		fmt.Sprintf("mem=%dM", spec.Memory),
		"root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro",
		`init="` + init + `"`,
		"con=null", "con0=null,fd:1", "ssl=null", "ssl0=fd:3,fd:4",
		"time-travel=inf-cpu",
		"oops=panic",
		"umid=uml",
		shareVariable + "=" + sharePath,
	}
	if spec.Seed != 0 {
		args = append(args,
			fmt.Sprintf("uml_seed=%d", spec.Seed),
			fmt.Sprintf("time-travel-start=%d", SeededStart.UnixNano()))
	}
	if spec.Kernel.Seccomp {
		args = append(args, "seccomp=auto")
	}
	return args, nil
}

// start boots the kernel. Its serial line is a pair of pipes, since User-Mode
// Linux learns from SIGIO that it may write again, and a socket that was full
// does not send one.
//
// The kernel gets a CPU of its own where one is free: every
// system call of the guest switches between two processes of this host, which
// takes five times as long on two CPUs.
func start(spec Spec, place *place) (*process, error) {
	args, err := arguments(spec)
	if err != nil {
		return nil, err
	}
	fromKernel, kernelOut, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("boot the machine: make its line: %w", err)
	}
	defer kernelOut.Close()
	kernelIn, toKernel, err := os.Pipe()
	if err != nil {
		fromKernel.Close()
		return nil, fmt.Errorf("boot the machine: make its line: %w", err)
	}
	defer kernelIn.Close()
	p := &process{in: toKernel, out: fromKernel, done: make(chan error, 1)}
	p.cmd = exec.Command(spec.Kernel.Path, args...)
	p.cmd.Dir = place.dir
	// User-Mode Linux takes its memory from a file in TMPDIR, and keeps what it
	// must in HOME.
	p.cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + place.dir, "TMPDIR=" + place.memory}
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	p.cmd.ExtraFiles = []*os.File{kernelIn, kernelOut}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{
		// A session of its own, since a panicking kernel kills its whole
		// process group and since ^C is for near, not for the kernel.
		Setsid: true,
		// The kernel dies with us, and its processes, which ask for the same,
		// with it.
		Pdeathsig: syscall.SIGKILL,
	}
	p.cpu = takeCPU(place.base, spec.CPUs)

	started := make(chan error)
	go func() {
		// Pdeathsig is about the thread that starts the child: it has to live
		// until the end.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		unpin := affinity.Pin(p.cpu.cpu)
		randomize := fixAddresses()
		err := p.cmd.Start()
		randomize()
		unpin()
		started <- err
		if err == nil {
			p.done <- p.cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		p.closeLine()
		p.cpu.release()
		return nil, fmt.Errorf("boot the machine: %w", err)
	}
	// A panic ends in abort(3); its core would be left behind.
	_ = unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
	return p, nil
}

// fixAddresses makes what the calling thread starts be at the same addresses
// every time, until restore: the layout of a kernel's memory follows from its
// own, and the order in its hash tables from that.
func fixAddresses() (restore func()) {
	const current = 0xffffffff // asks and changes nothing (personality(2))
	before, _, errno := unix.RawSyscall(unix.SYS_PERSONALITY, current, 0, 0)
	if errno != 0 {
		return func() {}
	}
	const addrNoRandomize = 0x0040000 // linux/personality.h
	unix.RawSyscall(unix.SYS_PERSONALITY, before|addrNoRandomize, 0, 0)
	return func() { unix.RawSyscall(unix.SYS_PERSONALITY, before, 0, 0) }
}

func (p *process) closeLine() {
	p.in.Close()
	p.out.Close()
}

// end kills the kernel and waits until it is gone.
func (p *process) end() {
	_ = p.cmd.Process.Kill() // it may have ended itself
	<-p.done
	p.closeLine()
	p.cpu.release()
}

// CrashError is a machine that ended or stood still before its job did.
type CrashError struct {
	What string
	Log  []string // the kernel's last lines
	hint string
}

func (e *CrashError) Error() string {
	if len(e.Log) == 0 {
		return e.What
	}
	return e.What + "; its log ends:\n    " + strings.Join(e.Log, "\n    ")
}

// Hint is the next step.
func (e *CrashError) Hint() string { return e.hint }

const (
	logLines = 20
	// exitWait lets a kernel that closed its line write why it ends.
	exitWait = 2 * time.Second
)

// crashed describes a machine whose line closed without a last frame.
func (p *process) crashed() error {
	var ended error
	select {
	case ended = <-p.done:
		p.done <- ended
	case <-time.After(exitWait):
	}
	return crash(ended, p.log.Take())
}

// crash says of a kernel's end, as exec.Cmd.Wait returned it, and its log what
// became of the machine.
func crash(ended error, log string) *CrashError {
	e := &CrashError{
		What: "the lab machine ended before its command",
		Log:  lastWords(log, logLines),
		hint: "see that --kernel, if given, names a lab kernel (`unchoke lab kernel info` lists them); one built from --source or --patch may itself be at fault",
	}
	if strings.Contains(log, panicLine) {
		if strings.Contains(strings.Join(e.Log, " "), "memory") {
			e.hint = `the commands took all of the machine's memory: "unchoke lab exec --memory" gives more`
		}
		return e
	}
	var signal syscall.Signal
	if exit, ok := errors.AsType[*exec.ExitError](ended); ok {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			signal = status.Signal()
		}
	}
	switch signal {
	case unix.SIGKILL: // whose log would say nothing of it
		e.What, e.Log = "the lab machine was killed from outside", nil
		e.hint = "if memory is short, the host's kernel kills large processes (see dmesg); run fewer machines"
	case unix.SIGBUS, unix.SIGXFSZ: // its memory is a file
		e.What, e.Log = fmt.Sprintf("this host had no room for the lab machine's memory (%v)", signal), nil
		e.hint = "make room in /dev/shm, and see ulimit -f"
	}
	return e
}

// stood describes a machine that gave no sign of life.
func (p *process) stood(timeout time.Duration) error {
	return &CrashError{
		What: fmt.Sprintf("virtual time has not advanced for %v: a program in the lab computes for so long or waits by reading the clock in a loop", timeout),
		Log:  lastLines(p.log.Take(), logLines),
		hint: "let the program sleep while it waits, or raise --stall-timeout",
	}
}
