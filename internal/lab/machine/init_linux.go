package machine

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"unchoke/internal/lab/cross"
	"unchoke/internal/lab/stage"
)

// Main makes this process the machine's init where it was booted as that, and
// then never returns. Elsewhere it returns at once. A program that runs the
// machine calls it first in main, a test in TestMain.
func Main() {
	share := os.Getenv(shareVariable)
	if os.Getpid() != 1 || share == "" {
		return
	}
	line, err := openLine("/dev/ttyS0")
	if err != nil {
		fmt.Fprintln(os.Stderr, "unchoke init:", err)
		powerOff()
	}
	// A goroutine in a system call may hold a P until sysmon takes it, and a
	// program that only computes does not let sysmon run. So: one for each.
	runtime.GOMAXPROCS(goroutines)
	// A collection may wait for another thread by computing. Where forward does,
	// which comes before all other threads, that takes seconds of the host's
	// time: so there is none, and what a stream passes through is used again.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(heapLimit)
	g := &wire{line: line, signal: make(chan func(syscall.Signal), 1)}
	status, err := g.run(share)
	if err != nil {
		var f *stage.Failure
		if !errors.As(err, &f) {
			f = &stage.Failure{Message: err.Error(), Status: 1}
		}
		data, _ := json.Marshal(f) // a struct of strings and a number
		if len(data) > maxPayload {
			data, _ = json.Marshal(stage.Failure{Message: f.Message[:maxPayload/8], Status: f.Status})
		}
		g.send(frameFailure, data)
	} else {
		g.send(frameExit, binary.BigEndian.AppendUint32(nil, uint32(status)))
	}
	// Whoever reads the last frame ends the machine.
	select {}
}

const (
	// goroutines is more than init has.
	goroutines = 16
	// heapLimit is where garbage is collected after all. Init makes a few
	// megabytes in its life.
	heapLimit = 32 << 20
)

// powerOff ends a machine that cannot speak to its user.
func powerOff() {
	if err := unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF); err != nil {
		os.Exit(1) // and so the kernel panics, which its user sees
	}
}

// openLine opens a serial line that changes no byte. The descriptor blocks: a
// poller would double the system calls, and those are what virtual time costs.
func openLine(name string) (*os.File, error) {
	fd, err := unix.Open(name, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	raw := unix.Termios{Cflag: unix.CS8 | unix.CREAD | unix.CLOCAL | unix.B38400}
	raw.Cc[unix.VMIN] = 1
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, &raw); err != nil {
		return nil, fmt.Errorf("make %s raw: %w", name, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// wire is init's end of the serial line.
type wire struct {
	line *os.File

	mu  sync.Mutex // one frame at a time
	buf []byte

	signal chan func(syscall.Signal) // gives, once near runs, what it takes signals by

	share    *os.File
	terminal *os.File // near's, our side; nil where it has none
}

func (g *wire) send(kind frameType, payload []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.buf = appendFrame(g.buf[:0], frame{kind, payload})
	if _, err := g.line.Write(g.buf); err != nil {
		powerOff()
	}
}

// run does what bootFile orders and returns near's exit status.
func (g *wire) run(shareDir string) (int, error) {
	order, err := g.mount(shareDir)
	if err != nil {
		return 0, err
	}
	g.send(frameReady, nil)
	runtime.GOMAXPROCS(goroutines + cross.Threads(order.Job.Path))
	// A stock host has no tunnel devices until it makes one; a kernel with
	// tunnels built in would make some in every network namespace.
	if err := os.WriteFile("/proc/sys/net/core/fb_tunnels_only_for_init_net", []byte("1"), 0); err != nil {
		return 0, fmt.Errorf("keep tunnel devices off the hosts: %w", err)
	}
	if err := g.waitForUptime(); err != nil {
		return 0, err
	}
	go g.beat(order.Beat)

	ours, theirs, err := g.files(order.Terminal)
	if err != nil {
		return 0, err
	}
	input := make(chan uint64, inputWindow)
	go g.receive(input)
	go g.feed(ours.stdin, input)
	if order.NoInput {
		close(input)
	}
	var drained sync.WaitGroup
	for _, out := range ours.outputs {
		drained.Go(func() { g.forward(out.file, out.kind) })
	}

	group := stage.OwnGroup
	if order.Terminal != nil {
		group = stage.OwnSession
	}
	status, err := stage.Run(order.Job, theirs, stage.Options{
		Group:   group,
		Notice:  func(message string) { g.send(frameNotice, []byte(message)) },
		Started: func(signal func(syscall.Signal)) { g.signal <- signal },
	})
	drained.Wait()
	unix.Sync() // for what was mapped from a writable directory
	return status, err
}

// waitForUptime sleeps in virtual time, which passes at once.
func (g *wire) waitForUptime() error {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return fmt.Errorf("read the clock: %w", err)
	}
	time.Sleep(uptime - time.Duration(now.Nano()))
	return nil
}

func (g *wire) beat(interval time.Duration) {
	for {
		time.Sleep(interval)
		g.send(frameBeat, nil)
	}
}

// output is a stream on its way out.
type output struct {
	file *os.File
	kind frameType
}

// ends are our sides of the commands' streams.
type ends struct {
	stdin   io.WriteCloser
	outputs []output
}

// files makes the commands' streams: pipes, or a terminal for all of near's.
func (g *wire) files(terminal *window) (ours ends, theirs stage.Files, err error) {
	pipe := func(kind frameType) *os.File {
		r, w, pipeErr := blockingPipe()
		if pipeErr != nil {
			err = pipeErr
			return nil
		}
		ours.outputs = append(ours.outputs, output{r, kind})
		return w
	}
	theirs.FarOutput = pipe(frameFarOutput)
	if err != nil {
		return ours, theirs, err
	}
	if terminal != nil {
		master, slave, err := openTerminal(*terminal)
		if err != nil {
			return ours, theirs, err
		}
		g.terminal = master
		ours.stdin = terminalInput{master}
		ours.outputs = append(ours.outputs, output{master, frameStdout})
		theirs.Stdin, theirs.Stdout, theirs.Stderr = slave, slave, slave
		return ours, theirs, nil
	}
	theirs.Stdout, theirs.Stderr = pipe(frameStdout), pipe(frameStderr)
	if err != nil {
		return ours, theirs, err
	}
	theirs.Stdin, ours.stdin, err = blockingPipe()
	return ours, theirs, err
}

// blockingPipe is a pipe outside Go's poller; see openLine.
func blockingPipe() (r, w *os.File, err error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, fmt.Errorf("make a pipe: %w", err)
	}
	return os.NewFile(uintptr(fds[0]), "pipe"), os.NewFile(uintptr(fds[1]), "pipe"), nil
}

func openTerminal(size window) (master, slave *os.File, err error) {
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("open /dev/ptmx: %w", err)
	}
	master = os.NewFile(uintptr(fd), "/dev/ptmx")
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, fmt.Errorf("unlock a terminal: %w", err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return nil, nil, fmt.Errorf("number a terminal: %w", err)
	}
	resize(master, size)
	name := "/dev/pts/" + strconv.Itoa(n)
	fd, err = unix.Open(name, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", name, err)
	}
	return master, os.NewFile(uintptr(fd), name), nil
}

// resize tells a terminal its size. One that cannot be told stays usable.
func resize(terminal *os.File, size window) {
	_ = unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: size.Rows, Col: size.Cols})
}

// terminalInput writes to a terminal's master side. Its end of input is a
// character, since closing would hang up.
type terminalInput struct{ master *os.File }

func (t terminalInput) Write(p []byte) (int, error) { return t.master.Write(p) }

func (t terminalInput) Close() error {
	_, err := t.master.Write([]byte{4}) // ^D
	return err
}

// forward sends what a command writes until the last writer is gone. For a
// terminal that is EIO. It comes before every program: one that only computes
// lets no virtual time pass, so that the scheduler would not take the CPU from
// it, and what was written before would show only at its end.
func (g *wire) forward(from *os.File, kind frameType) {
	runtime.LockOSThread()
	first := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 1, Flags: unix.SCHED_FLAG_RESET_ON_FORK}
	if err := unix.SchedSetAttr(0, &first, 0); err != nil {
		g.send(frameNotice, []byte("output may come late: "+err.Error()))
	}
	buf := make([]byte, maxPayload)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			g.send(kind, buf[:n])
		}
		if err != nil {
			return
		}
	}
}

// receive obeys the frames that come in. It waits for near to start, where a
// signal is for it, and for nothing else of it. While a program only computes,
// no virtual time passes and nothing else runs, this neither.
func (g *wire) receive(input chan<- uint64) {
	var signal func(syscall.Signal)
	buf := make([]byte, maxPayload)
	for {
		f, err := readFrame(g.line, buf)
		if err != nil {
			powerOff()
		}
		switch {
		case f.kind == frameInput && len(f.payload) == 8:
			input <- binary.BigEndian.Uint64(f.payload)
		case f.kind == frameEOF:
			close(input)
		case f.kind == frameSignal && len(f.payload) == 1:
			if signal == nil {
				// Near may have written before its starter had its turn again.
				signal = <-g.signal
			}
			signal(syscall.Signal(f.payload[0]))
		case f.kind == frameWindow && len(f.payload) == 4 && g.terminal != nil:
			resize(g.terminal, window{
				Rows: binary.BigEndian.Uint16(f.payload),
				Cols: binary.BigEndian.Uint16(f.payload[2:]),
			})
		}
	}
}

// feed writes chunks of standard input to near. One that near does not want,
// having closed its input or ended, is dropped.
func (g *wire) feed(stdin io.WriteCloser, input <-chan uint64) {
	buf := make([]byte, inputChunk)
	for n := range input {
		if err := g.feedChunk(stdin, n, buf); err != nil && !errors.Is(err, syscall.EPIPE) {
			g.send(frameNotice, []byte(err.Error()))
		}
		g.send(frameTaken, nil)
	}
	stdin.Close()
}

func (g *wire) feedChunk(stdin io.Writer, n uint64, buf []byte) error {
	name := chunkName(n)
	fd, err := unix.Openat(int(g.share.Fd()), name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open %s: %w", name, err)
	}
	chunk := os.NewFile(uintptr(fd), name)
	defer chunk.Close()
	size, err := io.ReadFull(chunk, buf)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("read %s: %w", name, err)
	}
	_, err = stdin.Write(buf[:size])
	return err
}

// chunkName is the file in the shared directory for a chunk of standard input.
func chunkName(n uint64) string { return "input-" + strconv.FormatUint(n, 10) }

// deviceLinks are what udev adds to the kernel's devices.
var deviceLinks = map[string]string{
	"fd":     "/proc/self/fd",
	"stdin":  "/proc/self/fd/0",
	"stdout": "/proc/self/fd/1",
	"stderr": "/proc/self/fd/2",
}

// mount reads the order and makes the machine's root directory: the host's
// files, with a tmpfs that takes every write.
func (g *wire) mount(shareDir string) (bootOrder, error) {
	var order bootOrder
	// Any directory that the host has for certain will do to build on; the
	// mounts vanish with the old root.
	const base = "/dev"
	steps := []struct {
		target, fstype, data string
		flags                uintptr
	}{
		{base, "tmpfs", "mode=0755", 0},
		{base + "/share", "hostfs", shareDir, unix.MS_RDONLY},
		{base + "/root", "overlay", "lowerdir=/,upperdir=" + base + "/upper,workdir=" + base + "/work", 0},
		{base + "/root/proc", "proc", "", unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC},
		{base + "/root/sys", "sysfs", "", unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC},
		{base + "/root/dev", "devtmpfs", "mode=0755", unix.MS_NOSUID},
		{base + "/root/dev/pts", "devpts", "mode=0620,ptmxmode=0666", unix.MS_NOSUID | unix.MS_NOEXEC},
		{base + "/root/dev/shm", "tmpfs", "", unix.MS_NOSUID | unix.MS_NODEV},
		{base + "/root/run", "tmpfs", "mode=0755", unix.MS_NOSUID | unix.MS_NODEV},
	}
	for i, s := range steps {
		if i > 0 {
			if err := os.MkdirAll(s.target, 0o755); err != nil {
				return order, fmt.Errorf("make the root directory: %w", err)
			}
		}
		if s.fstype == "overlay" {
			for _, d := range []string{"/upper", "/work"} {
				if err := os.Mkdir(base+d, 0o755); err != nil {
					return order, fmt.Errorf("make the root directory: %w", err)
				}
			}
		}
		if err := unix.Mount(s.fstype, s.target, s.fstype, s.flags, s.data); err != nil {
			return order, fmt.Errorf("mount %s on %s: %w", s.fstype, strings.TrimPrefix(s.target, base+"/root"), err)
		}
	}
	var err error
	if g.share, err = os.Open(base + "/share"); err != nil {
		return order, err
	}
	data, err := os.ReadFile(base + "/share/" + bootFile)
	if err != nil {
		return order, err
	}
	if err := json.Unmarshal(data, &order); err != nil {
		return order, fmt.Errorf("read %s: %w", bootFile, err)
	}
	for link, target := range deviceLinks {
		if err := os.Symlink(target, base+"/root/dev/"+link); err != nil {
			return order, fmt.Errorf("make /dev: %w", err)
		}
	}
	for _, dir := range order.Writable {
		if err := mountWritable(base+"/root", dir); err != nil {
			return order, err
		}
	}
	// The old root stays below the new one until it is detached (pivot_root(2)).
	if err := unix.Chdir(base + "/root"); err != nil {
		return order, fmt.Errorf("enter the root directory: %w", err)
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return order, fmt.Errorf("change to the root directory: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return order, fmt.Errorf("leave the old root directory: %w", err)
	}
	return order, os.Chdir("/")
}

// mountWritable puts the host's directory in its place below root.
func mountWritable(root, dir string) error {
	target := filepath.Join(root, dir)
	if err := os.MkdirAll(target, 0o755); err != nil {
		return fmt.Errorf("let %s be written: %w", dir, err)
	}
	if err := unix.Mount("hostfs", target, "hostfs", 0, dir); err != nil {
		return fmt.Errorf("let %s be written: %w", dir, err)
	}
	return nil
}
