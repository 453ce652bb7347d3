package survey

import (
	"debug/elf"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"unchoke/internal/lab"
	"unchoke/internal/lab/labtest"
	"unchoke/internal/linux/sysctl"
	"unchoke/internal/linux/sysctlkey"
	"unchoke/internal/tune/sysctld"
)

// TestMain lets this binary be a lab machine's init.
func TestMain(m *testing.M) {
	lab.Main()
	os.Exit(m.Run())
}

// Where a test runs: on this host, in a namespace of its own, or in the lab.
const (
	stage       = "UNCHOKE_TEST_STAGE"
	inNamespace = "namespace"
	inMachine   = "machine"
)

// programs are the readers that the simulations are held against.
var programs = map[string]struct {
	path string
	args []string
	read func(sysctld.Tree, []string) []sysctld.Assignment
}{
	"systemd-sysctl": {"/usr/lib/systemd/systemd-sysctl", nil, sysctld.Systemd},
	"procps":         {"/usr/sbin/sysctl", []string{"-q", "--system"}, sysctld.Procps},
}

// Generated hosts, in a user namespace on this kernel: what the
// simulations say is what the programs do.
func TestReadersHere(t *testing.T) {
	if os.Getenv(stage) == inNamespace {
		states := 600
		if testing.Short() {
			states = 100
		}
		readers(t, states)
		return
	}
	runInNamespace(t)
}

// runInNamespace runs the calling test in a user, mount and network namespace
// of its own.
func runInNamespace(t *testing.T) {
	t.Helper()
	if os.Getenv(stage) != "" {
		t.Skip("runs elsewhere already")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^"+t.Name()+"$", "-test.v", fmt.Sprintf("-test.short=%t", testing.Short()))
	cmd.Env = append(os.Environ(), stage+"="+inNamespace)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) {
		t.Skipf("needs user namespaces: %v", err)
	}
	passOn(t, string(out), err)
}

// runInLab runs the calling test in the first network namespace of a lab
// machine.
func runInLab(t *testing.T) {
	t.Helper()
	if os.Getenv(stage) != "" {
		t.Skip("runs elsewhere already")
	}
	labtest.NeedKernel(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	status, err := lab.Exec(t.Context(), lab.Command{
		// The kernel's own threads are in the first namespace.
		Near:   []string{"nsenter", "--net=/proc/2/ns/net", self, "-test.v", "-test.run=^" + t.Name() + "$"},
		Env:    append(os.Environ(), stage+"="+inMachine),
		Stdout: &out, Stderr: &out,
		// A state takes a millisecond of virtual time, and many of real time on
		// a busy machine.
		StallTimeout: 10 * time.Minute,
	})
	if err == nil && status != 0 {
		err = fmt.Errorf("exit status %d", status)
	}
	passOn(t, out.String(), err)
}

// passOn is the result of a test that ran elsewhere.
func passOn(t *testing.T, out string, err error) {
	t.Helper()
	for line := range strings.Lines(out) {
		if _, why, ok := strings.Cut(line, "needs "); ok && strings.Contains(out, "--- SKIP") {
			t.Skip("needs " + strings.TrimSpace(why))
		}
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Log(strings.TrimSpace(out))
}

func readers(t *testing.T, states int) {
	root := chrootDir(t)
	fresh := present(t)
	ccs := choosable(t)
	floor := leastRmem(t)
	model := func(values map[string]string) *sysctld.Kernel {
		k := &sysctld.Kernel{Values: map[string]string{}, CC: ccs, LeastRmem: floor, Qdiscs: []string{"fq", "fq_codel", "pfifo_fast", "pfifo", "bfifo", "netem", "tbf", "cake", "htb", "sfq"}}
		for key, value := range values {
			k.Values[sysctlkey.Path(key)] = value
		}
		return k
	}
	keys := slices.Collect(maps.Keys(fresh))
	var files []string
	for _, key := range keys {
		files = append(files, sysctlkey.Path(key))
	}
	for seed := range states {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		s := generate(r, append(slices.Clone(ccs), "nosuch"))
		s.write(t, root)
		tree, err := sysctld.Load(os.DirFS(root))
		if err != nil {
			t.Fatal(err)
		}
		for name, p := range programs {
			restore(t, fresh)
			run := exec.Command(p.path, p.args...)
			run.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
			run.Env = []string{"SYSTEMD_LOG_LEVEL=emerg", "LC_ALL=C"}
			run.Dir = "/"
			said, err := run.CombinedOutput() // it fails where a line is wrong
			if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
				t.Fatal(err)
			}
			k := model(fresh)
			k.Apply(p.read(tree, files))
			got := present(t)
			for _, key := range keys {
				if want := k.Values[sysctlkey.Path(key)]; got[key] != want {
					t.Errorf("state %d, %s: %s is %q, the simulation says %q\n%s%s", seed, name, key, got[key], want, s, said)
				}
			}
		}
		if t.Failed() {
			break
		}
	}
	restore(t, fresh)
	t.Logf("%d states, keys %v", states, keys)
}

// chrootDir is a root in which the programs run: their libraries are this
// system's, everything that they read is the test's.
func chrootDir(t *testing.T) string {
	t.Helper()
	for _, p := range programs {
		if _, err := os.Stat(p.path); err != nil {
			t.Skipf("needs the readers of sysctls: %v", err)
		}
	}
	root := t.TempDir()
	if err := unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("none", root, "tmpfs", 0, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Unmount(root, unix.MNT_DETACH) })
	bind := func(from string) {
		to := filepath.Join(root, from)
		st, err := os.Stat(from)
		if err != nil {
			t.Fatal(err)
		}
		if st.IsDir() {
			err = os.MkdirAll(to, 0o755)
		} else if err = os.MkdirAll(filepath.Dir(to), 0o755); err == nil {
			err = os.WriteFile(to, nil, 0o755)
		}
		if err == nil {
			err = unix.Mount(from, to, "", unix.MS_BIND|unix.MS_REC, "")
		}
		if err != nil {
			t.Fatalf("bind %s: %v", from, err)
		}
	}
	bind("/proc")
	bind("/dev/null")
	for _, link := range [][2]string{{"usr/lib", "lib"}, {"usr/lib64", "lib64"}, {"usr/sbin", "sbin"}} {
		if err := errors.Join(os.MkdirAll(filepath.Join(root, link[0]), 0o755), os.Symlink(link[0], filepath.Join(root, link[1]))); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range programs {
		install(t, root, p.path)
	}
	return root
}

// install copies a program below root with the libraries that it needs.
func install(t *testing.T, root, name string) {
	t.Helper()
	to := filepath.Join(root, name)
	if _, err := os.Stat(to); err == nil {
		return
	}
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, content, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	libraries, err := f.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	if interpreter := f.Section(".interp"); interpreter != nil {
		if b, err := interpreter.Data(); err == nil {
			install(t, root, strings.TrimRight(string(b), "\x00"))
		}
	}
	for _, library := range libraries {
		for _, pattern := range []string{"/usr/lib/*-linux-gnu*/", "/usr/lib/systemd/", "/usr/lib/*-linux-gnu*/systemd/", "/usr/lib64/", "/usr/lib64/systemd/"} {
			found, err := filepath.Glob(pattern + library)
			if err != nil {
				t.Fatal(err)
			}
			if len(found) > 0 {
				install(t, root, found[0])
				break
			}
		}
	}
}

// present are the values in force of the keys that can be set here.
func present(t *testing.T) map[string]string {
	t.Helper()
	values := map[string]string{}
	for _, key := range append(slices.Clone(generatedKeys), allowedKey) {
		name := "/proc/sys/" + sysctlkey.Path(key)
		if unix.Access(name, unix.W_OK) != nil {
			continue // of the first namespace only
		}
		words, err := sysctl.Kernel.Words(key)
		if err != nil {
			t.Fatal(err)
		}
		values[key] = strings.Join(words, " ")
	}
	return values
}

const allowedKey = "net.ipv4.tcp_allowed_congestion_control"

// restore sets all keys, the allowed list last since the default adds to it.
func restore(t *testing.T, values map[string]string) {
	t.Helper()
	for _, key := range append(slices.Clone(generatedKeys), allowedKey) {
		if value, ok := values[key]; ok {
			if err := os.WriteFile("/proc/sys/"+sysctlkey.Path(key), []byte(value), 0); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// leastRmem asks the kernel for the least that tcp_rmem takes.
func leastRmem(t *testing.T) int64 {
	t.Helper()
	const name = "/proc/sys/net/ipv4/tcp_rmem"
	before, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	defer os.WriteFile(name, before, 0)
	if os.WriteFile(name, []byte("1"), 0) == nil {
		return 1
	}
	return 4096
}

// choosable are the algorithms that may be the default here.
func choosable(t *testing.T) []string {
	t.Helper()
	key := allowedKey
	if unix.Access("/proc/sys/"+sysctlkey.Path(allowedKey), unix.W_OK) == nil {
		key = "net.ipv4.tcp_available_congestion_control" // the first namespace
	}
	words, err := sysctl.Kernel.Words(key)
	if err != nil {
		t.Fatal(err)
	}
	return words
}
