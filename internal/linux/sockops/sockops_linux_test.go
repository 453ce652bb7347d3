package sockops

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/cgroup"
)

// group makes a control group of version 2 for the test.
func group(t *testing.T) *os.File {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("takes root: it makes a control group and attaches a BPF program")
	}
	root, ok := cgroup.Root(cgroup.System())
	if !ok {
		t.Skip("no control groups of version 2 are mounted")
	}
	dir := filepath.Join("/", root, fmt.Sprintf("unchoke-test-%d-%s.service", os.Getpid(), t.Name()))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Skipf("no control group can be made: %v", err)
	}
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f.Close()
		if err := os.Remove(dir); err != nil {
			t.Error(err)
		}
	})
	return f
}

// TestMain is also the program in the group: it connects to an address and says
// which congestion control it got.
func TestMain(m *testing.M) {
	if to := os.Getenv("UNCHOKE_TEST_CONNECT"); to != "" {
		_, _ = io.ReadAll(os.Stdin) // until it is in the group
		c, err := net.Dial("tcp", to)
		if err != nil {
			panic(err)
		}
		os.Stdout.WriteString(algorithm(c))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func algorithm(c net.Conn) (name string) {
	raw, err := c.(*net.TCPConn).SyscallConn()
	if err == nil {
		err = errors.Join(raw.Control(func(fd uintptr) {
			name, err = unix.GetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION)
		}), err)
	}
	if err != nil {
		panic(err)
	}
	return name
}

// connected is what a process in the group gets.
func connected(t *testing.T, group *os.File, to string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "UNCHOKE_TEST_CONNECT="+to)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(group.Name(), "cgroup.procs"), []byte(strconv.Itoa(cmd.Process.Pid)), 0); err != nil {
		t.Fatal(err)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, &errs)
	}
	return out.String()
}

// Connections that a group's processes open while the program is at it get the
// algorithm, others do not, and after Detach all is as before.
func TestAttach(t *testing.T) {
	g := group(t)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	to := l.Addr().String()
	usual := connected(t, g, to)
	other := "reno" // which every kernel has
	if usual == other {
		other = "cubic"
	}
	p, err := Load(other)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) || errors.Is(err, os.ErrPermission) {
		t.Skipf("this kernel or sandbox takes no such program: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if is, err := At(g, p.ID); is || err != nil {
		t.Errorf("before: %v, %v", is, err)
	}
	if err := Detach(g, p.ID); !errors.Is(err, ErrNot) {
		t.Errorf("detached before it was attached: %v", err)
	}
	if err := p.Attach(g); err != nil {
		t.Fatal(err)
	}
	p.Close()
	if is, err := At(g, p.ID); !is || err != nil {
		t.Errorf("attached: %v, %v", is, err)
	}
	if got := connected(t, g, to); got != other {
		t.Errorf("in the group %s, want %s", got, other)
	}
	c, err := net.Dial("tcp4", to)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := algorithm(c); got != usual {
		t.Errorf("outside it %s, want %s", got, usual)
	}
	if err := Detach(g, p.ID); err != nil {
		t.Fatal(err)
	}
	if got := connected(t, g, to); got != usual {
		t.Errorf("afterwards %s, want %s", got, usual)
	}
	if _, err := open(p.ID); !errors.Is(err, ErrNot) {
		t.Errorf("the program is there still: %v", err)
	}
}

func TestInstructions(t *testing.T) {
	for _, name := range []string{"", "a-name-that-is-too-long"} {
		if _, err := instructions(name); err == nil {
			t.Errorf("%q is taken", name)
		}
	}
	b, err := instructions("bbr")
	if err != nil || len(b) != 20*8 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}
