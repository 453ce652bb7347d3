package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"unchoke/internal/bounded"
	"unchoke/internal/lab/stage"
)

// A lab on this host is a child of ours in namespaces of its own: process 1 of
// a PID namespace, so that nothing outlives it, with its own mounts, network
// and, where we are not root, users, one of whom is root there and us outside.
// Files are not kept from it: it may change what its user may.

// hostVariable is the environment variable that makes process 1 that child.
const hostVariable = "UNCHOKE_LAB_HOST"

// The child's file descriptors beyond the standard ones.
const (
	orderFD  = 3 + iota // hostOrder as JSON
	resultFD            // hostResult as JSON
	farFD               // what far writes
)

type hostOrder struct {
	Job   stage.Job   `json:"job"`
	Group stage.Group `json:"group"`
}

type hostResult struct {
	Status    int            `json:"status"`
	Failure   *stage.Failure `json:"failure"`
	FarFailed bool           `json:"far_failed"`
}

// dropHost is the next step of whatever this host cannot do.
const dropHost = "without --host the lab runs its own kernel, which can"

// hostMain makes this process that child where it was started as that.
func hostMain() {
	if os.Getpid() != 1 || os.Getenv(hostVariable) == "" {
		return
	}
	var result hostResult
	var err error
	result.Status, err = hostRun(func() { result.FarFailed = true })
	if err != nil && !errors.As(err, &result.Failure) {
		result.Failure = &stage.Failure{Message: err.Error(), Status: 1}
	}
	if err := json.NewEncoder(os.NewFile(resultFD, "result")).Encode(result); err != nil {
		os.Exit(1) // and so our parent has no result, and says so
	}
	os.Exit(0)
}

// hostRun runs the order. It calls farFailed where far fails before near ends.
func hostRun(farFailed func()) (int, error) {
	for _, fd := range []int{orderFD, resultFD, farFD} {
		unix.CloseOnExec(fd)
	}
	var order hostOrder
	if err := json.NewDecoder(os.NewFile(orderFD, "order")).Decode(&order); err != nil {
		return 1, fmt.Errorf("read the lab's order: %w", err)
	}
	if err := hostMounts(); err != nil {
		return 1, err
	}
	removeHosts, err := mountHosts()
	if err != nil {
		return 1, err
	}
	defer removeHosts()
	signals := make(chan os.Signal, 16) // more at once are lost, as signals are
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
	files := stage.Files{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, FarOutput: os.NewFile(farFD, "far")}
	stderr, err := unix.FcntlInt(os.Stderr.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return 1, fmt.Errorf("keep standard error: %w", err)
	}
	notices := os.NewFile(uintptr(stderr), "standard error")
	return stage.Run(order.Job, files, stage.Options{
		Group:     order.Group,
		NoNetwork: dropHost,
		Notice: func(message string) {
			farFailed() // there is nothing else to notice
			fmt.Fprintf(notices, "unchoke: %s\n", message)
		},
		Started: func(send func(syscall.Signal)) {
			go func() {
				for s := range signals {
					// A terminal has sent its own to near as well.
					if order.Group != stage.SameGroup || (s != syscall.SIGINT && s != syscall.SIGQUIT) {
						send(s.(syscall.Signal))
					}
				}
			}()
		},
	})
}

// hostMounts gives the lab mounts of its own and a /proc of its own processes.
func hostMounts() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil && !errors.Is(err, unix.EPERM) {
		return fmt.Errorf("mount /proc: %w", err)
	}
	return nil
}

// hostsPath is where the lab names its hosts.
const hostsPath = "/etc/hosts"

// mountHosts gives the lab a hosts file that may be written. Where this host
// has none, as in a minimal container, an empty one is there to mount on until
// remove.
func mountHosts() (remove func(), err error) {
	hosts, err := os.CreateTemp("", "unchoke-hosts-")
	if err != nil {
		return nil, fmt.Errorf("make the lab's hosts file: %w", err)
	}
	defer os.Remove(hosts.Name())
	defer hosts.Close()
	if err := hosts.Chmod(0o644); err != nil {
		return nil, fmt.Errorf("make the lab's hosts file: %w", err)
	}
	remove = func() {}
	switch point, err := os.OpenFile(hostsPath, os.O_CREATE|os.O_EXCL, 0o644); {
	case err == nil:
		point.Close()
		remove = func() {
			_ = unix.Unmount(hostsPath, unix.MNT_DETACH)                     // not mounted yet, maybe
			if st, err := os.Stat(hostsPath); err == nil && st.Size() == 0 { // and nobody's by now
				_ = os.Remove(hostsPath) // if it stays, it does no harm
			}
		}
	case !exists(hostsPath):
		return nil, withHint(fmt.Errorf("make %s to mount the lab's over: %w", hostsPath, err), dropHost)
	}
	if err := unix.Mount(hosts.Name(), hostsPath, "", unix.MS_BIND, ""); err != nil {
		remove()
		return nil, fmt.Errorf("mount the lab's hosts file: %w", err)
	}
	return remove, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// runOnHost runs the job in namespaces of this host's kernel.
func runOnHost(ctx context.Context, c Command, job stage.Job) (int, error) {
	h, err := newHostLab(c, job)
	if err != nil {
		return 1, err
	}
	defer h.close()
	ended, err := h.start()
	if err != nil {
		return 1, withHint(fmt.Errorf("start a lab on this host: %w", err), dropHost)
	}
	var graceOver <-chan time.Time
	var asked syscall.Signal
	for {
		select {
		case <-ended:
			return h.finish()
		case <-ctx.Done():
			h.kill(ended)
			return 1, context.Cause(ctx)
		case <-graceOver:
			h.kill(ended)
			return stage.SignalStatus(asked), nil
		case s := <-c.Signals:
			sig, ok := s.(syscall.Signal)
			if !ok || sig == syscall.SIGWINCH { // the terminal is near's as well
				continue
			}
			if stage.AsksToEnd(sig) {
				if asked != 0 {
					h.kill(ended)
					return stage.SignalStatus(sig), nil
				}
				asked, graceOver = sig, time.After(stage.Grace)
			}
			_ = h.cmd.Process.Signal(sig) // it may have ended
		}
	}
}

// hostLab is our side of the child.
type hostLab struct {
	command Command
	order   hostOrder
	cmd     *exec.Cmd

	orderW, resultR, farR *os.File
	theirs                []*os.File

	output sync.WaitGroup
	far    bounded.Tail
}

func newHostLab(c Command, job stage.Job) (*hostLab, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program that becomes the lab: %w", err)
	}
	h := &hostLab{command: c, order: hostOrder{Job: job}}
	if f, ok := c.Stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		h.order.Group = stage.SameGroup
	}
	var orderR, resultW, farW *os.File
	for _, p := range []struct{ r, w **os.File }{{&orderR, &h.orderW}, {&h.resultR, &resultW}, {&h.farR, &farW}} {
		if *p.r, *p.w, err = os.Pipe(); err != nil {
			h.close()
			return nil, fmt.Errorf("make a pipe: %w", err)
		}
	}
	h.theirs = []*os.File{orderR, resultW, farW}
	h.cmd = exec.Command(self)
	h.cmd.Env = []string{hostVariable + "=1", "PATH=" + os.Getenv("PATH")}
	h.cmd.Stdin, h.cmd.Stdout, h.cmd.Stderr = c.Stdin, c.Stdout, c.Stderr
	h.cmd.ExtraFiles = h.theirs
	// A reader that never ends must not keep us once the child has ended.
	h.cmd.WaitDelay = time.Second
	attr := &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC,
		Pdeathsig:  syscall.SIGKILL,
	}
	if os.Geteuid() != 0 {
		attr.Cloneflags |= unix.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	h.cmd.SysProcAttr = attr
	return h, nil
}

// start starts the child; the channel is closed at its end.
func (h *hostLab) start() (<-chan struct{}, error) {
	started := make(chan error)
	ended := make(chan struct{})
	go func() {
		// Pdeathsig is about the thread that starts the child: it has to live
		// until the end.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := h.cmd.Start()
		for _, f := range h.theirs {
			f.Close()
		}
		started <- err
		if err == nil {
			_ = h.cmd.Wait() // the result says more
			close(ended)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	var out io.Writer = &h.far
	if h.command.FarOutput != nil {
		out = h.command.FarOutput
	}
	h.output.Go(func() { _, _ = io.Copy(out, h.farR) })
	err := json.NewEncoder(h.orderW).Encode(h.order)
	h.orderW.Close()
	if err != nil {
		h.kill(ended)
		return nil, err
	}
	return ended, nil
}

// finish reads the result of a child that has ended.
func (h *hostLab) finish() (int, error) {
	h.output.Wait()
	var result hostResult
	if err := json.NewDecoder(h.resultR).Decode(&result); err != nil {
		return 1, fmt.Errorf("the lab on this host ended without a result: %w", err)
	}
	text := strings.TrimRight(h.far.Take(), "\n")
	if text != "" && (result.Failure != nil || result.FarFailed) {
		fmt.Fprintf(h.command.Stderr, "far: %s\n", strings.ReplaceAll(text, "\n", "\nfar: "))
	}
	if result.Failure == nil {
		return result.Status, nil
	}
	return result.Failure.Status, result.Failure
}

func (h *hostLab) kill(ended <-chan struct{}) {
	_ = h.cmd.Process.Kill() // and with process 1 all of its namespace
	<-ended
}

func (h *hostLab) close() {
	for _, f := range append(h.theirs, h.orderW, h.resultR, h.farR) {
		if f != nil {
			f.Close() // twice is harmless
		}
	}
}

// withHint gives an error a next step.
func withHint(err error, hint string) error {
	return &stage.Failure{Message: err.Error(), Next: hint, Status: 1}
}
