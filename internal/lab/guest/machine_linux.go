package guest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/affinity"
)

// Machine is a host that can be booted again and again.
type Machine struct {
	// Memory is how much it has, in MiB; a boot begins with what is set.
	Memory int

	image Image
	dir   string
	cpu   int
}

// New makes a machine, off, in a directory of its own that Remove removes. All
// its processes run on one CPU: every system call of a guest switches between
// two of them, which takes several times as long on two CPUs.
func New(image Image, cpu int) (*Machine, error) {
	dir, err := os.MkdirTemp("", "unchoke-guest-")
	if err != nil {
		return nil, fmt.Errorf("make a machine: %w", err)
	}
	m := &Machine{Memory: memory, image: image, dir: dir, cpu: cpu}
	if err := os.Mkdir(m.Share(), 0o755); err != nil {
		return nil, fmt.Errorf("make a machine: %w", err)
	}
	return m, nil
}

// Remove removes the machine and all that it wrote.
func (m *Machine) Remove() error { return os.RemoveAll(m.dir) }

// Share is a directory that the machine sees as GuestShare.
func (m *Machine) Share() string { return filepath.Join(m.dir, "share") }

// Names in the shared directory.
const (
	GuestShare = "/run/share" // where the machine has it
	script     = "script"
	output     = "output"
	cut        = "cut"
)

// PowerCut is a command for a script: the machine loses its power there, with
// all that no program has synced to the disk.
const PowerCut = "touch " + GuestShare + "/" + cut + "; sleep 60"

const (
	memory = 192 // MiB; systemd and its journal fit
	// pause is how often the host looks for a power cut that is asked for.
	pause = 20 * time.Millisecond
)

// Boot boots the machine, runs a shell script as root when systemd has brought
// it up, and powers it off. It returns what the script printed.
func (m *Machine) Boot(ctx context.Context, text string) (string, error) {
	for _, name := range []string{output, cut} {
		if err := os.Remove(filepath.Join(m.Share(), name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	if err := os.WriteFile(filepath.Join(m.Share(), script), []byte(text), 0o644); err != nil {
		return "", err
	}
	log, err := m.run(ctx)
	said, readErr := os.ReadFile(filepath.Join(m.Share(), output))
	switch {
	case err != nil:
		return string(said), fmt.Errorf("boot a Debian host: %w; its log ends:\n%s", err, lastLines(log))
	case readErr != nil:
		return "", fmt.Errorf("boot a Debian host: the script did not run; its log ends:\n%s", lastLines(log))
	}
	return string(said), nil
}

// run boots the kernel and waits until it is off, or cuts its power.
func (m *Machine) run(ctx context.Context) (log string, err error) {
	var console buffer
	cmd := exec.Command(m.image.Kernel,
		fmt.Sprintf("mem=%dM", m.Memory),
		"ubd0="+filepath.Join(m.dir, "changes")+","+m.image.Disk, "root=/dev/ubda", "rw",
		"hostfs="+m.Share(),
		"con=null", "con0=null,fd:1", "ssl=null",
		"umid=guest", "uml_dir="+filepath.Join(m.dir, "uml"),
		"quiet", "systemd.show_status=0", "systemd.log_target=console",
	)
	// The kernel's memory is a file in TMPDIR.
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + m.dir, "TMPDIR=" + memoryDir(m.Memory), "LD_PRELOAD=" + m.image.Before}
	cmd.Stdout, cmd.Stderr = &console, &console
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}

	ended, started := make(chan error, 1), make(chan error)
	go func() {
		// Pdeathsig is about the thread that starts the child, and so is the CPU.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		unpin := affinity.Pin(m.cpu)
		err := cmd.Start()
		unpin()
		started <- err
		if err == nil {
			ended <- cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return "", err
	}
	// What is left of its processes, whose session is their own.
	kill := func() { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }
	defer kill()
	look := time.NewTicker(pause)
	defer look.Stop()
	for {
		select {
		case err := <-ended:
			return console.String(), err
		case <-ctx.Done():
			kill()
			<-ended
			return console.String(), context.Cause(ctx)
		case <-look.C:
			if _, err := os.Stat(filepath.Join(m.Share(), cut)); err == nil {
				kill()
				<-ended
				return console.String(), nil
			}
		}
	}
}

// memoryDir is in memory where there is room; a container's /dev/shm often has
// none.
func memoryDir(mib int) string {
	const shm = "/dev/shm"
	var fs unix.Statfs_t
	if unix.Statfs(shm, &fs) == nil && fs.Flags&unix.ST_NOEXEC == 0 && int64(fs.Bavail)*int64(fs.Bsize) > int64(mib)<<20 && unix.Access(shm, unix.W_OK) == nil {
		return shm
	}
	return os.TempDir()
}

// buffer is written by the kernel and read when it stands.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// String is without the colours that systemd writes.
func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.ReplaceAll(b.b.String(), "\r", "")
}
