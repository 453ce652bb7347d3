//go:build linux

package lab

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"unchoke/internal/lab/labtest"
	"unchoke/internal/lab/machine"
	"unchoke/internal/lab/stage"
	"unchoke/internal/path"
)

// userVariable makes the test binary a user of a lab, which tests then kill.
const userVariable = "UNCHOKE_TEST_LAB_USER"

func TestMain(m *testing.M) {
	Main()
	if line := os.Getenv(userVariable); line != "" {
		status, err := Exec(context.Background(), Command{Near: []string{"sh", "-c", line}, Stdout: os.Stdout, Stderr: os.Stderr})
		if err != nil {
			os.Stderr.WriteString(err.Error())
		}
		os.Exit(status)
	}
	os.Exit(m.Run())
}

// run runs a command in a lab and returns what came out.
func run(t *testing.T, c Command) (stdout, stderr string, status int, err error) {
	t.Helper()
	labtest.NeedKernel(t)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	// A machine takes a fifth of a second; a busy host makes it many times that.
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	status, err = Exec(ctx, c)
	return out.String(), errs.String(), status, err
}

// shell is run for a shell command that must go well.
func shell(t *testing.T, line string) string {
	t.Helper()
	stdout, stderr, status, err := run(t, Command{Near: []string{"sh", "-c", line}})
	if err != nil || status != 0 {
		t.Fatalf("%s: status %d, %v\n%s", line, status, err, stderr)
	}
	return stdout
}

func TestExitStatus(t *testing.T) {
	for _, c := range []struct {
		near   []string
		status int
		failed bool
	}{
		{[]string{"true"}, 0, false},
		{[]string{"sh", "-c", "exit 42"}, 42, false},
		{[]string{"sh", "-c", "kill -TERM $$"}, 128 + 15, false},
		{[]string{"no-such-command"}, stage.StatusNotFound, true},
		{[]string{"./no-such-command"}, stage.StatusNotFound, true},
		{[]string{"/etc/passwd"}, stage.StatusNotExecutable, true},
		{[]string{"/etc"}, stage.StatusNotExecutable, true},
	} {
		_, stderr, status, err := run(t, Command{Near: c.near})
		var failure *stage.Failure
		if status != c.status || errors.As(err, &failure) != c.failed || stderr != "" {
			t.Errorf("%q: status %d, error %v, stderr %q; want status %d", c.near, status, err, stderr, c.status)
		}
	}
}

func TestStreamsPassEveryByte(t *testing.T) {
	const size = 3 << 20
	data := make([]byte, size)
	rand.Read(data)
	stdout, stderr, status, err := run(t, Command{Near: []string{"sh", "-c", "tee /dev/stderr"}, Stdin: bytes.NewReader(data)})
	if err != nil || status != 0 {
		t.Fatalf("status %d, %v", status, err)
	}
	if stdout != string(data) {
		t.Errorf("standard output: %d bytes that differ from the %d sent", len(stdout), size)
	}
	if stderr != string(data) {
		t.Errorf("standard error: %d bytes that differ from the %d sent", len(stderr), size)
	}
}

// A command that echoes its input takes hardly longer than one that reads it.
func TestEchoKeepsPace(t *testing.T) {
	data := make([]byte, 60<<20)
	took := func(line string) time.Duration {
		began := time.Now()
		if _, _, status, err := run(t, Command{Near: []string{"sh", "-c", line}, Stdin: bytes.NewReader(data)}); err != nil || status != 0 {
			t.Fatalf("%s: status %d, %v", line, status, err)
		}
		return time.Since(began)
	}
	for range 3 { // other tests take the cores meanwhile, at times of one and not of the other
		read, echo := took("cat >/dev/null"), took("cat")
		t.Logf("read in %v, echoed in %v", read, echo)
		if echo <= 4*read+time.Second {
			return
		}
	}
	t.Error("60 MiB take far longer to echo than to read, three times")
}

func TestInputThatNobodyReads(t *testing.T) {
	_, stderr, status, err := run(t, Command{Near: []string{"true"}, Stdin: bytes.NewReader(make([]byte, 8<<20))})
	if err != nil || status != 0 || stderr != "" {
		t.Errorf("status %d, %v, %q", status, err, stderr)
	}
	endless, stop := io.Pipe()
	defer stop.Close()
	if _, _, status, err := run(t, Command{Near: []string{"true"}, Stdin: endless}); err != nil || status != 0 {
		t.Errorf("input that never comes: status %d, %v", status, err)
	}
}

func TestSlowReader(t *testing.T) {
	labtest.NeedKernel(t)
	var out bytes.Buffer
	slow := writerFunc(func(p []byte) (int, error) {
		if out.Len() < 1<<20 {
			time.Sleep(10 * time.Millisecond)
		}
		return out.Write(p)
	})
	status, err := Exec(context.Background(), Command{Near: []string{"head", "-c", "20000000", "/dev/zero"}, Stdout: slow})
	if err != nil || status != 0 || out.Len() != 20000000 {
		t.Errorf("status %d, %v, %d bytes of 20000000", status, err, out.Len())
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestSurroundings(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	stdout, _, _, err := run(t, Command{
		Near: []string{"sh", "-c", "pwd; echo $GREETING; umask; hostname; cat /proc/sys/net/ipv4/tcp_congestion_control; ls /sys/class/net | tr '\\n' ' '"},
		Dir:  dir,
		Env:  append(os.Environ(), "GREETING=hello  world"),
	})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(stdout, "\n")
	mask, err := umask()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{dir, "hello world", "0" + strconv.FormatInt(int64(mask), 8), "near", "cubic"}
	for i, w := range want {
		if i >= len(lines) || strings.TrimLeft(lines[i], "0") != strings.TrimLeft(w, "0") {
			t.Errorf("line %d of %q, want %q", i+1, lines, w)
		}
	}
}

func TestWritesAreDiscarded(t *testing.T) {
	dir := t.TempDir()
	kept := filepath.Join(dir, "kept")
	if err := os.WriteFile(kept, []byte("before"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := shell(t, "echo after > "+kept+"; echo new > "+dir+"/new; cat "+kept+" "+dir+"/new"); got != "after\nnew\n" {
		t.Errorf("the lab reads %q of what it wrote", got)
	}
	text, err := os.ReadFile(kept)
	if err != nil || string(text) != "before" {
		t.Errorf("the host's file: %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lab made a file on the host: %v", err)
	}
}

func TestWritableDirectory(t *testing.T) {
	dir := t.TempDir()
	line := "head -c 3000000 /dev/zero > " + dir + "/zeros && mkdir " + dir + "/sub && echo yes > " + dir + "/sub/file"
	if _, stderr, status, err := run(t, Command{Near: []string{"sh", "-c", line}, RW: []string{dir}}); err != nil || status != 0 {
		t.Fatalf("status %d, %v, %s", status, err, stderr)
	}
	if st, err := os.Stat(filepath.Join(dir, "zeros")); err != nil || st.Size() != 3000000 {
		t.Errorf("zeros: %v, %v", st, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "sub/file")); err != nil || string(text) != "yes\n" {
		t.Errorf("sub/file: %q, %v", text, err)
	}
	if _, _, _, err := run(t, Command{Near: []string{"true"}, RW: []string{dir + "/zeros"}}); err == nil {
		t.Error("a file was taken for a writable directory")
	}
}

// What a lab has of its own is refused before anything boots.
func TestOwnDirectoriesAreRefused(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("/proc", link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"/", "/.", "/proc", "/proc/sys/net", link, "/sys", "/dev", "/etc"} {
		_, err := Exec(t.Context(), Command{Near: []string{"true"}, RW: []string{dir}, Kernel: "no kernel"})
		failure, ok := errors.AsType[*stage.Failure](err)
		if !ok || failure.Hint() == "" || !strings.Contains(failure.Error(), "let the lab write to "+dir+": ") {
			t.Errorf("--rw %s: %v", dir, err)
		}
	}
	for _, dir := range []string{"/dev/shm", t.TempDir()} {
		if _, err := writable(dir); err != nil {
			t.Errorf("--rw %s: %v", dir, err)
		}
	}
}

func TestHostsReachEachOther(t *testing.T) {
	p, err := path.Parse("rtt=50ms,tunnel=wireguard")
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"far", "far.underlay"} {
		for _, family := range []string{"-4", "-6"} {
			out, stderr, status, err := run(t, Command{Path: p, Near: []string{"ping", family, "-c", "2", "-q", host}})
			if err != nil || status != 0 || !strings.Contains(out, " 0% packet loss") {
				t.Errorf("ping %s %s: status %d, %v\n%s%s", family, host, status, err, out, stderr)
			}
		}
	}
}

// A tunnel on a path of a small MTU carries IPv4 in packets of its own MTU, and
// IPv6 where that is not below the smallest that IPv6 permits.
func TestTunnelOfASmallMTU(t *testing.T) {
	for _, c := range []struct {
		path  string
		inner int // MTU
	}{
		{"tunnel=wireguard,mtu=1360", 1280},
		{"tunnel=wireguard,mtu=1359", 1279},
		{"tunnel=wireguard,mtu=1280", 1200},
		{"tunnel=gre,mtu=1304", 1280},
		{"tunnel=gre,mtu=1280", 1256},
		{"tunnel=ip6gre,mtu=1332", 1280},
		{"tunnel=ip6gre,mtu=1331", 1279},
		{"tunnel=ip6gre,mtu=1280", 1228},
	} {
		p, err := path.Parse(c.path)
		if err != nil {
			t.Fatal(err)
		}
		ping := func(family string, size int) bool {
			out, _, _, err := run(t, Command{Path: p, Near: []string{"ping", family, "-M", "do", "-c", "1", "-q", "-s", strconv.Itoa(size), "far"}})
			if err != nil {
				t.Errorf("%s: %v", c.path, err)
			}
			return strings.Contains(out, " 0% packet loss")
		}
		if !ping("-4", c.inner-28) || ping("-4", c.inner-27) {
			t.Errorf("%s: the largest packet of IPv4 is not one of %d bytes", c.path, c.inner)
		}
		if got, want := ping("-6", c.inner-48), c.inner >= path.MinMTU; got != want {
			t.Errorf("%s: IPv6 passes: %v, want %v", c.path, got, want)
		}
	}
}

func TestFar(t *testing.T) {
	out, stderr, status, err := run(t, Command{
		Far:  "hostname > /tmp/far-was-here; ls /sys/class/net >> /tmp/far-was-here; sleep 1000",
		Near: []string{"sh", "-c", "cat /tmp/far-was-here"},
	})
	if err != nil || status != 0 || !strings.HasPrefix(out, "far\n") || stderr != "" {
		t.Errorf("status %d, %v, %q, %q", status, err, out, stderr)
	}

	_, stderr, status, err = run(t, Command{Far: "echo oh dear; exit 3", Near: []string{"true"}})
	if status != 1 || err == nil || !strings.Contains(err.Error(), "exited with status 3 before near was started") || stderr != "far: oh dear\n" {
		t.Errorf("far failing first: status %d, %v, %q", status, err, stderr)
	}

	_, stderr, status, err = run(t, Command{Far: "sleep 1; echo oh dear >&2; exit 3", Near: []string{"sleep", "2"}})
	if status != 0 || err != nil || !strings.Contains(stderr, "far: oh dear\n") || !strings.Contains(stderr, "exited with status 3\n") {
		t.Errorf("far failing later: status %d, %v, %q", status, err, stderr)
	}

	var far bytes.Buffer
	if _, _, _, err = run(t, Command{Far: "echo hello; sleep 9", Near: []string{"true"}, FarOutput: &far}); err != nil || far.String() != "hello\n" {
		t.Errorf("far's output: %q, %v", far.String(), err)
	}
}

func TestSysctl(t *testing.T) {
	const key = "/proc/sys/net/ipv4/tcp_congestion_control"
	out, _, _, err := run(t, Command{
		NearSysctl: []string{"net.ipv4.tcp_congestion_control=bbr"},
		FarSysctl:  []string{"net/ipv4/tcp_congestion_control = vegas"},
		Far:        "cat " + key + " > /tmp/unchoke-sysctl-of-far; sleep 1000",
		Near:       []string{"sh", "-c", "cat " + key + "; until [ -s /tmp/unchoke-sysctl-of-far ]; do sleep 0.1; done; cat /tmp/unchoke-sysctl-of-far"},
	})
	if err != nil || out != "bbr\nvegas\n" {
		t.Errorf("congestion control of near and far: %q, %v", out, err)
	}
	for _, bad := range []string{"net.ipv4.no_such_key=1", "net.ipv4.tcp_sack=maybe", "net.ipv4.tcp_sack"} {
		if _, _, status, err := run(t, Command{NearSysctl: []string{bad}, Near: []string{"true"}}); err == nil || status != 1 {
			t.Errorf("%s: status %d, %v", bad, status, err)
		}
	}
}

// The machine waits in virtual time, so hours pass in a moment.
func TestVirtualTime(t *testing.T) {
	before := time.Now()
	shell(t, "sleep 10000")
	if took := time.Since(before); took > 30*time.Second {
		t.Errorf("10000 s of virtual time took %v", took)
	}
	// A program that waits by reading the clock ends as well.
	var passed float64
	out := shell(t, `perl -MTime::HiRes=time -e '$t = time; 1 while time < $t + 0.1; print time - $t'`)
	passed, err := strconv.ParseFloat(out, 64)
	if err != nil || passed < 0.1 || passed > 0.1001 {
		t.Errorf("a wait of 0.1 s by reading the clock took %s s, %v", out, err)
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	p, err := path.Parse("rtt=20ms,loss=2%,jitter=2ms")
	if err != nil {
		t.Fatal(err)
	}
	outputs := map[uint64]string{}
	for _, seed := range []uint64{7, 7, 8} {
		out, _, _, err := run(t, Command{Path: p, Seed: seed, Near: []string{"sh", "-c", "od -An -tx8 -N64 /dev/urandom; date +%s.%N; ping -c 20 -i 0.2 far"}})
		if err != nil {
			t.Fatal(err)
		}
		if before, ok := outputs[seed]; ok && before != out {
			t.Errorf("seed %d gave first\n%s\nthen\n%s", seed, before, out)
		}
		outputs[seed] = out
	}
	if outputs[7] == outputs[8] {
		t.Error("seeds 7 and 8 gave the same output")
	}
}

func TestSignals(t *testing.T) {
	labtest.NeedKernel(t)
	signals := make(chan os.Signal, 1)
	signals <- syscall.SIGUSR1 // before there is anybody to receive it: dropped
	var out bytes.Buffer
	ready := writerFunc(func(p []byte) (int, error) {
		if out.Len() == 0 {
			signals <- syscall.SIGINT
		}
		return out.Write(p)
	})
	status, err := Exec(context.Background(), Command{
		Near:    []string{"sh", "-c", "trap 'echo interrupted; exit 5' INT; echo ready; while :; do sleep 1; done"},
		Stdout:  ready,
		Signals: signals,
	})
	if err != nil || status != 5 || out.String() != "ready\ninterrupted\n" {
		t.Errorf("SIGINT: status %d, %v, %q", status, err, out.String())
	}
}

// A command that ignores the request to end is ended all the same.
func TestStubbornCommand(t *testing.T) {
	labtest.NeedKernel(t)
	signals := make(chan os.Signal, 1)
	var asked time.Time
	once := writerFunc(func(p []byte) (int, error) {
		asked = time.Now()
		signals <- syscall.SIGTERM
		return len(p), nil
	})
	status, err := Exec(context.Background(), Command{
		Near:    []string{"sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done"},
		Stdout:  once,
		Signals: signals,
	})
	if took := time.Since(asked); err != nil || status != 128+15 || took > stage.Grace+5*time.Second {
		t.Errorf("SIGTERM: status %d, %v, after %v", status, err, took)
	}
}

func TestPanic(t *testing.T) {
	_, _, status, err := run(t, Command{Near: []string{"sh", "-c", "echo c > /proc/sysrq-trigger"}})
	var crash *machine.CrashError
	if status != 1 || !errors.As(err, &crash) || !strings.Contains(err.Error(), "Kernel panic - not syncing: sysrq triggered crash") {
		t.Errorf("status %d, %v", status, err)
	}
}

func TestHang(t *testing.T) {
	_, _, status, err := run(t, Command{Near: []string{"sh", "-c", "while :; do :; done"}, StallTimeout: time.Second})
	if status != 1 || err == nil || !strings.Contains(err.Error(), "virtual time has not advanced") {
		t.Errorf("status %d, %v", status, err)
	}
}

func TestCancelled(t *testing.T) {
	labtest.NeedKernel(t)
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := writerFunc(func(p []byte) (int, error) {
		cancel(why)
		return len(p), nil
	})
	status, err := Exec(ctx, Command{Near: []string{"sh", "-c", "echo ready; while :; do sleep 1; done"}, Stdout: stop})
	if status != 1 || !errors.Is(err, why) {
		t.Errorf("status %d, %v", status, err)
	}
}

// TestNothingIsLeft ends the lab's user in the ways there are, and looks for
// what the machine had: its processes, and its directory in the end.
func TestNothingIsLeft(t *testing.T) {
	labtest.NeedKernel(t)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		user := exec.Command(self)
		user.Env = append(os.Environ(), userVariable+"=echo ready; sleep 3 & cat /dev/zero > /dev/null")
		user.Stderr = os.Stderr
		stdout, err := user.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := user.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := stdout.Read(make([]byte, 16)); err != nil {
			t.Fatal(err)
		}
		processes := descendants(t, user.Process.Pid)
		if len(processes) < 3 { // the kernel, init and the commands
			t.Fatalf("a machine of %d processes", len(processes))
		}
		dir, err := os.Readlink("/proc/" + strconv.Itoa(processes[0]) + "/cwd")
		if err != nil {
			t.Fatal(err)
		}
		if err := user.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		_ = user.Wait() // by the signal
		deadline := time.Now().Add(10 * time.Second)
		for _, pid := range processes {
			for running(pid) {
				if time.Now().After(deadline) {
					t.Fatalf("after %v, process %d of the machine is left", sig, pid)
				}
				time.Sleep(10 * time.Millisecond)
			}
		}
		// The next machine removes what a killed user could not.
		shell(t, "true")
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("after %v, %s is left: %v", sig, dir, err)
		}
	}
}

// descendants are the processes below pid, the nearest first.
func descendants(t *testing.T, pid int) []int {
	t.Helper()
	var found []int
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, stat := range stats {
		child, parent, _, ok := readStat(stat)
		if ok && parent == pid {
			found = append(found, child)
			found = append(found, descendants(t, child)...)
		}
	}
	return found
}

// running tells whether there is a process that is more than a zombie.
func running(pid int) bool {
	_, _, state, ok := readStat("/proc/" + strconv.Itoa(pid) + "/stat")
	return ok && state != "Z" && state != "X"
}

// readStat reads proc(5)'s stat, of which the second field may have spaces.
func readStat(file string) (pid, parent int, state string, ok bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, 0, "", false
	}
	before, after, _ := strings.Cut(string(text), " (")
	fields := strings.Fields(after[strings.LastIndex(after, ")")+1:])
	pid, err = strconv.Atoi(before)
	if err != nil || len(fields) < 2 {
		return 0, 0, "", false
	}
	parent, err = strconv.Atoi(fields[1])
	return pid, parent, fields[0], err == nil
}
