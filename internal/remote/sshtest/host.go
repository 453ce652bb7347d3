package sshtest

import (
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"unchoke/internal/remote/sshd"
)

// Host is a host of its own as far as a program on it can tell: network and its
// sysctls, processes, /etc, /run and /var/lib belong to it alone. A real sshd
// takes each connection.
type Host struct {
	*sshd.Server
	// Admits is how many connections are taken from now on; those beyond are closed.
	Admits atomic.Int64
	pid    int
	log    lockedBuffer
}

// HostOptions of a host.
type HostOptions struct {
	sshd.Options
	// Login is a user whom the host has beside root, and who logs in; empty is root.
	// The password is Password.
	Login string
	// Prepare is a shell command that root runs on the host first.
	Prepare string
}

// Password is that of a host's Login.
const Password = "correct horse $HOME 'battery' "

// prepare makes the host's files, in namespaces of its own.
const prepare = `
mount --make-rprivate /
mkdir -p "$1/etc"
cp -a /etc/. "$1/etc"
rm -rf "$1/etc/sysctl.d" "$1/etc/sysctl.conf" "$1/etc/sudoers.d"
mkdir "$1/etc/sysctl.d" "$1/etc/sudoers.d"
mount --bind "$1/etc" /etc
mount -t tmpfs none /run
mount -t tmpfs none /var/lib
mkdir -p /run/sshd
ip link set lo up
`

const addLogin = `
echo "$2:x:7654:7654::/run/home:/bin/sh" >>/etc/passwd
echo "$2:x:7654:" >>/etc/group
printf '%s:%s:19000:0:99999:7:::\n' "$2" "$(printf '%s' "$3" | openssl passwd -6 -stdin)" >>/etc/shadow
mkdir -p /run/home && chown 7654:7654 /run/home
`

// StartHost starts one that lasts as long as the test, and puts an ssh that trusts
// it in front of the test's PATH. The test is skipped where it may make none.
func StartHost(t testing.TB, o HostOptions) *Host {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root, for namespaces of its own")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o.Port = l.Addr().(*net.TCPAddr).Port
	dir := t.TempDir()
	if o.Login != "" {
		o.Lines = append(o.Lines, "AuthorizedKeysCommand /bin/cat "+filepath.Join(dir, "authorized_keys"), "AuthorizedKeysCommandUser root")
		o.Env = append(o.Env, "HOME=/run/home", "XDG_RUNTIME_DIR=/run/home")
	}
	files, err := sshd.New(dir, o.Options)
	if errors.Is(err, sshd.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if o.Login != "" {
		files.User = o.Login
	}
	h := &Host{Server: files}
	h.Admits.Store(math.MaxInt64)
	script := "set -e" + prepare
	if o.Login != "" {
		script += addLogin
	}
	script += o.Prepare + "\necho ready; exec cat"
	holder := exec.Command("unshare", "--mount", "--net", "--pid", "--uts", "--fork", "--kill-child", "--mount-proc", "sh", "-c", script, "sh", dir, o.Login, Password)
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	// It ends with this process, however that ends.
	if _, err := holder.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	holder.Stderr = &h.log
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.Close()
		_ = holder.Process.Kill() // and with it all that runs on the host
		_ = holder.Wait()
	})
	word := make([]byte, 5)
	if _, err := out.Read(word); err != nil || string(word) != "ready" {
		t.Fatalf("start a host: %q, %v\n%s", word, err, h.log.String())
	}
	child, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", holder.Process.Pid, holder.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	if h.pid, err = strconv.Atoi(strings.TrimSpace(string(child))); err != nil {
		t.Fatal(err)
	}
	go h.serve(l)
	t.Setenv("PATH", h.Bin+":"+os.Getenv("PATH"))
	return h
}

// serve gives each connection to an sshd on the host.
func (h *Host) serve(l net.Listener) {
	server, err := sshd.Program("sshd")
	for err == nil {
		var conn net.Conn
		if conn, err = l.Accept(); err != nil {
			return
		}
		if h.Admits.Add(-1) < 0 {
			conn.Close()
			continue
		}
		file, failed := conn.(*net.TCPConn).File()
		conn.Close()
		if failed != nil {
			continue
		}
		cmd := h.command(server, "-i", "-e", "-f", h.Config)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = file, file, &h.log
		if cmd.Start() == nil {
			go func() { _ = cmd.Wait() }()
		}
		file.Close()
	}
}

func (h *Host) command(name string, args ...string) *exec.Cmd {
	return exec.Command("nsenter", append([]string{"--target", strconv.Itoa(h.pid), "--mount", "--net", "--pid", "--uts", "--", name}, args...)...)
}

// Run runs a shell command on the host as root, and returns what it printed.
func (h *Host) Run(t testing.TB, script string) string {
	t.Helper()
	out, err := h.command("sh", "-c", script).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return strings.TrimSpace(string(out))
}

// Await waits until a shell command on the host succeeds.
func (h *Host) Await(t testing.TB, script string) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for h.command("sh", "-c", script).Run() != nil {
		if time.Now().After(deadline) {
			t.Fatalf("not within two minutes: %s\n%s", script, h.Log())
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Target is the host as unchoke takes it.
func (h *Host) Target() string { return h.Server.Target("127.0.0.1") }

// Log is what sshd wrote.
func (h *Host) Log() string { return h.log.String() }
