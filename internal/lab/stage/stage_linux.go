package stage

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"unchoke/internal/lab/cross"
	"unchoke/internal/lab/network"
)

// Files are the commands' standard streams. Near's may be the same file. Run
// closes them once the commands have them.
type Files struct {
	Stdin, Stdout, Stderr *os.File // near's
	FarOutput             *os.File // far's standard output and standard error
}

func (f Files) close() {
	for _, file := range []*os.File{f.Stdin, f.Stdout, f.Stderr, f.FarOutput} {
		if file != nil {
			file.Close() // twice is harmless
		}
	}
}

// Group says how near's processes belong together.
type Group int

const (
	OwnGroup   Group = iota // a process group of its own
	OwnSession              // a session whose terminal is Stdin
	SameGroup               // our group: a shell's job control goes on working
)

// Options are what differs between the kinds of machine.
type Options struct {
	Group Group
	// NoNetwork is the next step where the network cannot be built and the
	// error has none of its own.
	NoNetwork string
	// Notice tells the user that far failed while near ran.
	Notice func(message string)
	// Started is called with what delivers a signal to near's processes.
	Started func(signal func(syscall.Signal))
}

// Run builds the network, runs the job and returns near's exit status. When it
// returns, no process of the job is left. What keeps the job from running is a
// *Failure.
func Run(job Job, files Files, opts Options) (status int, err error) {
	defer files.close()
	if len(job.Near) == 0 {
		return 0, failure(1, "", "no command to run on near")
	}
	net, err := network.Build(network.Config{Path: job.Path, Seed: job.Seed, Dir: job.Dir})
	if err != nil {
		f := asFailure(fmt.Errorf("build the network: %w", err))
		if f.Next == "" {
			f.Next = opts.NoNetwork
		}
		return 0, f
	}
	defer net.Close()
	if err := prepare(net, job); err != nil {
		return 0, asFailure(err)
	}

	unix.Umask(job.Umask)
	others, err := cross.Start(net, job.Path)
	if err != nil {
		return 0, asFailure(err)
	}
	endOthers := sync.OnceValue(others.End)
	defer endOthers()
	p := &players{exits: make(chan exit)}
	defer p.killAll()
	if job.Far != "" {
		if err := p.startFar(net, job, files); err != nil {
			return 0, asFailure(err)
		}
		go p.reap()
	}
	if wait := max(job.settle(), cross.WarmUp(job.Path)); wait > 0 {
		settled := time.After(wait)
		for waiting := true; waiting; {
			select {
			case e := <-p.exits:
				if e.pid == p.far && e.status != 0 {
					return 0, failure(1, "", "far: %q %s before near was started", job.Far, describe(e.status))
				}
			case <-settled:
				waiting = false
			}
		}
	}
	if err := p.startNear(net, job, files, opts.Group); err != nil {
		return 0, err
	}
	files.close()
	if err := begin(net, others); err != nil {
		return 0, asFailure(err)
	}
	go p.reap()
	opts.Started(p.signalNear)
	for {
		switch e := <-p.exits; {
		case e.pid == p.near:
			if err := errors.Join(net.End(), endOthers()); err != nil {
				return 0, asFailure(err)
			}
			return exitStatus(e.status), nil
		case e.pid == p.far && e.status != 0:
			opts.Notice(fmt.Sprintf("far: %q %s", job.Far, describe(e.status)))
		}
	}
}

// begin makes now the time zero of the path's schedule.
func begin(net *network.Network, others *cross.Traffic) error {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return fmt.Errorf("read the clock: %w", err)
	}
	zero := time.Duration(now.Nano())
	others.Begin(zero)
	return net.Begin(zero)
}

// prepare makes both hosts what a stock Linux host would be, and then what the
// job wants.
func prepare(net *network.Network, job Job) error {
	if err := writeHosts(net.Hosts); err != nil {
		return err
	}
	for _, h := range []struct {
		name    string
		host    *network.Host
		sysctls []string
	}{{"near", net.Near, job.NearSysctl}, {"far", net.Far, job.FarSysctl}} {
		settings, err := parseSettings(h.sysctls)
		if err != nil {
			return err
		}
		for _, s := range settings {
			s.allow()
		}
		err = h.host.Do(func() error {
			// systemd lets every group ping (sysctl.d/50-default.conf). A kernel
			// whose user namespace has fewer groups refuses, and is none the worse.
			_ = os.WriteFile("/proc/sys/net/ipv4/ping_group_range", []byte("0 2147483647"), 0)
			for _, s := range settings {
				if err := s.write(h.name); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// writeHosts names the lab's hosts, and them alone, in /etc/hosts.
func writeHosts(entries []network.Entry) error {
	var b strings.Builder
	b.WriteString("127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n")
	for _, e := range entries {
		fmt.Fprintf(&b, "%s\t%s\n", e.Addr, e.Name)
	}
	if err := os.WriteFile("/etc/hosts", []byte(b.String()), 0o644); err != nil {
		return fmt.Errorf("name the lab's hosts: %w", err)
	}
	return nil
}

// mountSys shows the devices of the calling thread's network namespace in
// /sys, which belongs to the namespace it was mounted from. In a container that
// may not mount it, /sys goes on showing the container's devices.
func mountSys() error {
	if err := unix.Mount("sysfs", "/sys", "sysfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil && !errors.Is(err, unix.EPERM) {
		return fmt.Errorf("mount /sys: %w", err)
	}
	return nil
}

// players are the processes of a job.
type players struct {
	near, far int // process ids; 0 while not started
	group     Group
	exits     chan exit
}

// exit is the end of a child, or of an orphan that became one.
type exit struct {
	pid    int
	status syscall.WaitStatus
}

// startFar starts the far command with a hostname and a /sys of its own. Both
// come with the namespaces of whoever starts a process, so they are far's for
// the moment of starting, and near's afterwards.
func (p *players) startFar(net *network.Network, job Job, files Files) error {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	cmd := &exec.Cmd{
		Path: "/bin/sh", Args: []string{"sh", "-c", job.Far},
		Env: job.Env, Dir: job.Dir,
		Stdin: null, Stdout: files.FarOutput, Stderr: files.FarOutput,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, Cloneflags: unix.CLONE_NEWUTS | unix.CLONE_NEWNS},
	}
	if err := net.Far.Do(mountSys); err != nil {
		return err
	}
	if err := unix.Sethostname([]byte("far")); err != nil {
		return fmt.Errorf("name host far: %w", err)
	}
	if err := net.Far.Start(cmd); err != nil {
		return fmt.Errorf("start %q on far: %w", job.Far, err)
	}
	p.far = cmd.Process.Pid
	return nil
}

func (p *players) startNear(net *network.Network, job Job, files Files, group Group) error {
	if err := unix.Sethostname([]byte("near")); err != nil {
		return asFailure(fmt.Errorf("name host near: %w", err))
	}
	if err := net.Near.Do(mountSys); err != nil {
		return asFailure(err)
	}
	if st, err := os.Stat(job.Dir); err != nil || !st.IsDir() {
		return failure(1, "", "working directory %s: not a directory that the lab can see", job.Dir)
	}
	program, err := look(job.Near[0], job.Dir, job.Env)
	if err != nil {
		return err
	}
	attr := &syscall.SysProcAttr{}
	switch group {
	case OwnGroup:
		attr.Setpgid = true
	case OwnSession:
		attr.Setsid, attr.Setctty = true, true
	}
	cmd := &exec.Cmd{
		Path: program, Args: job.Near, Env: job.Env, Dir: job.Dir,
		Stdin: files.Stdin, Stdout: files.Stdout, Stderr: files.Stderr,
		SysProcAttr: attr,
	}
	p.group = group
	if err := net.Near.Start(cmd); err != nil {
		return unusable(job.Near[0], err)
	}
	p.near = cmd.Process.Pid
	return nil
}

func (p *players) signalNear(sig syscall.Signal) {
	target := -p.near
	if p.group == SameGroup {
		target = p.near
	}
	// A process that has ended in the meantime needs no signal.
	_ = syscall.Kill(target, sig)
}

// reap reports the end of every child until there is none. Nobody else in this
// process may wait for children while it runs.
func (p *players) reap() {
	for {
		var status syscall.WaitStatus
		switch pid, err := syscall.Wait4(-1, &status, 0, nil); err {
		case nil:
			p.exits <- exit{pid, status}
		case syscall.EINTR:
		default: // ECHILD
			return
		}
	}
}

func (p *players) killAll() {
	// Process 1 itself is exempt (kill(2)).
	_ = syscall.Kill(-1, syscall.SIGKILL)
}

func exitStatus(ws syscall.WaitStatus) int {
	if ws.Signaled() {
		return signalBase + int(ws.Signal())
	}
	return ws.ExitStatus()
}

func describe(ws syscall.WaitStatus) string {
	if ws.Signaled() {
		return fmt.Sprintf("was ended by signal %d (%v)", ws.Signal(), ws.Signal())
	}
	return fmt.Sprintf("exited with status %d", ws.ExitStatus())
}
