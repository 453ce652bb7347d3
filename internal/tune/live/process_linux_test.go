package live

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"unchoke/internal/linux/cc"
	"unchoke/internal/linux/pidfd"
	"unchoke/internal/probe/wait"
	"unchoke/internal/tune/outcome"
)

// TestMain lets a test start this program as one that sends.
func TestMain(m *testing.M) {
	if address := os.Getenv("UNCHOKE_TEST_SEND_TO"); address != "" {
		if err := send(address); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// send writes numbered lines until its standard input ends, and how many they
// were to its standard output. With a second word of the address it lets a child
// of its own have the socket, too.
func send(address string) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	fd := 0
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		return err
	}
	if err := raw.Control(func(n uintptr) { fd = int(n) }); err != nil {
		return err
	}
	cookie, err := pidfd.Cookie(fd)
	if err != nil {
		return err
	}
	if os.Getenv("UNCHOKE_TEST_SHARED") != "" {
		file, err := conn.(*net.TCPConn).File()
		if err != nil {
			return err
		}
		child := exec.Command("cat")
		child.Stdin, child.ExtraFiles = os.Stdin, []*os.File{file}
		child.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err := child.Start(); err != nil {
			return err
		}
		defer func() { _ = child.Wait() }()
	}
	fmt.Printf("%x\n", cookie)
	stop := make(chan struct{})
	go func() {
		defer close(stop)
		_, _ = io.Copy(io.Discard, os.Stdin)
	}()
	n := 0
	for w := bufio.NewWriterSize(conn, 1<<10); ; n++ {
		select {
		case <-stop:
			if err := errors.Join(w.Flush(), conn.Close()); err != nil {
				return err
			}
			fmt.Println(n)
			return nil
		default:
		}
		if _, err := fmt.Fprintln(w, n); err != nil {
			return err
		}
	}
}

// sender is a process that sends to this one.
type sender struct {
	id    string // of its connection
	pid   int
	stdin io.Closer
	out   *bufio.Reader
	cmd   *exec.Cmd
	got   chan int // numbered lines in order, once it ended
}

func startSender(t *testing.T, more ...string) *sender {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := &sender{cmd: exec.Command(os.Args[0]), got: make(chan int, 1)}
	s.cmd.Env = append(append(os.Environ(), "UNCHOKE_TEST_SEND_TO="+l.Addr().String()), more...)
	s.cmd.Stderr = os.Stderr
	stdin, err1 := s.cmd.StdinPipe()
	stdout, err2 := s.cmd.StdoutPipe()
	if err := errors.Join(err1, err2, s.cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	s.pid, s.stdin, s.out = s.cmd.Process.Pid, stdin, bufio.NewReader(stdout)
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer conn.Close()
		n := 0
		for lines := bufio.NewScanner(conn); lines.Scan(); n++ {
			if !bytes.Equal(lines.Bytes(), []byte(strconv.Itoa(n))) {
				break
			}
		}
		s.got <- n
	}()
	line, err := s.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	s.id = strings.TrimSpace(line)
	return s
}

// end lets it end and compares what it sent with what came.
func (s *sender) end(t *testing.T) {
	t.Helper()
	s.stdin.Close()
	line, err := s.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("the process noticed: %v", err)
	}
	sent, _ := strconv.Atoi(strings.TrimSpace(line))
	if got := <-s.got; got != sent || sent == 0 {
		t.Errorf("%d lines of %d came", got, sent)
	}
}

// needed skips a test where the kernel has no second algorithm or does not lend
// sockets.
func needed(t *testing.T) (from, to string) {
	t.Helper()
	if err := Able(); err != nil {
		t.Skip(err)
	}
	from, err := cc.OfConnection(netip.MustParseAddrPort("127.0.0.1:9"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"reno", "cubic", "bbr"} {
		if have, err := cc.Probe(name); name != from && err == nil && have == cc.Yes {
			return from, name
		}
	}
	t.Skip("this kernel has one congestion control only")
	return "", ""
}

// A process that is sending gets another algorithm and its old one back, and
// loses nothing; so does one that shares its connection with another.
func TestProcess(t *testing.T) {
	from, to := needed(t)
	for _, shared := range []string{"", "UNCHOKE_TEST_SHARED=yes"} {
		s := startSender(t, shared)
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		c := changer(t, &Sockets{}, dir)
		c.Now, c.Pause, c.Wait = time.Now, wait.For, 5*time.Second
		f := flows(s.id)
		if err := c.Change(t.Context(), f, to, ""); err != nil {
			t.Fatal(err)
		}
		if f[0].State == outcome.LiveRefused {
			t.Skip("this user may not ptrace its children here")
		}
		if f[0].State != outcome.LiveChanged || f[0].Old != from || f[0].New != to {
			t.Fatalf("%+v", f[0])
		}
		if now := has(t, s.id); now != to {
			t.Errorf("the connection has %s", now)
		}
		standing, _ := c.Journal.Standing()
		if err := c.Revert(t.Context(), standing); err != nil || standing[0].State != outcome.LiveReverted {
			t.Errorf("%v, %+v", err, standing[0])
		}
		if now := has(t, s.id); now != from {
			t.Errorf("after the revert the connection has %s", now)
		}
		s.end(t)
		f = flows(s.id)
		if err := c.Change(t.Context(), f, to, ""); err != nil || f[0].State != outcome.LiveEnded {
			t.Errorf("a connection that has ended: %+v, %v", f[0], err)
		}
	}
}

// has asks the kernel, not the process's socket.
func has(t *testing.T, id string) string {
	t.Helper()
	var s Sockets
	f := flows(id)
	if err := s.Find(IDs(f)); err != nil {
		t.Fatal(err)
	}
	return s.algorithm[IDs(f)[0]]
}

// Nothing of the process's stays open here: a connection that it closes is closed.
func TestNothingIsKept(t *testing.T) {
	_, to := needed(t)
	s := startSender(t)
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	before := descriptors(t)
	c := changer(t, &Sockets{}, dir)
	if err := c.Change(t.Context(), flows(s.id), to, ""); err != nil {
		t.Fatal(err)
	}
	if after := descriptors(t); after != before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
	s.end(t)
}

func descriptors(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}
