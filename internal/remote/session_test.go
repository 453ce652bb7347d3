package remote_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"unchoke/internal/record"
	"unchoke/internal/remote"
	"unchoke/internal/remote/sshd"
	"unchoke/internal/remote/sshtest"
)

const protocol = "unchoke.session/1"

func dial(t *testing.T, target string, o remote.Options) (*remote.Host, error) {
	t.Helper()
	at, err := remote.ParseTarget(target)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	h, err := remote.Dial(ctx, at, o)
	if err == nil {
		t.Cleanup(h.Close)
	}
	return h, err
}

// begin begins a session on a host.
func begin(t *testing.T, target string, o remote.Options) (*remote.Host, io.ReadWriteCloser) {
	t.Helper()
	h, err := dial(t, target, o)
	if err != nil {
		t.Fatal(err)
	}
	s, err := h.Session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return h, s
}

// converse hears the far process's hello and one echo, and returns its PID.
func converse(t *testing.T, s io.ReadWriter) (pid int) {
	t.Helper()
	in := bufio.NewReader(s)
	hello, err := in.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(hello, "hello %d\n", &pid); err != nil {
		t.Fatalf("hello: %q", hello)
	}
	if _, err := io.WriteString(s, "one\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := in.ReadString('\n'); err != nil || line != "echo one\n" {
		t.Fatalf("echo: %q, %v", line, err)
	}
	return pid
}

// left are the files that a session left on either host.
func left(t *testing.T, server *sshtest.Server) []string {
	t.Helper()
	var found []string
	for _, pattern := range []string{filepath.Join(server.Dir, "unchoke*"), filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "*")} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, names...)
	}
	return found
}

func TestDelivered(t *testing.T) {
	server := sshtest.Start(t, sshtest.Options{})
	h, err := dial(t, server.Target(), remote.Options{Protocol: protocol, Batch: true})
	if err != nil {
		t.Fatal(err)
	}
	if h.Facts.System != "Linux" || !h.Facts.Near.IsLoopback() || !h.Address().IsLoopback() || h.Cipher() == "" {
		t.Errorf("facts %+v, address %v, cipher %q", h.Facts, h.Address(), h.Cipher())
	}
	s, err := h.Session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pid := converse(t, s)
	if h.Runs != record.Delivered {
		t.Errorf("runs %q", h.Runs)
	}
	if names, _ := filepath.Glob(filepath.Join(server.Dir, "unchoke*")); len(names) > 0 {
		t.Errorf("the delivered program is still there: %v", names)
	}
	s.Close()
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the far process lives: %v", err)
	}
	if names := left(t, server); len(names) > 0 {
		t.Errorf("left: %v", names)
	}
}

func TestOwn(t *testing.T) {
	bin := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, "unchoke")); err != nil {
		t.Fatal(err)
	}
	server := sshtest.Start(t, sshtest.Options{Options: sshd.Options{Env: []string{"PATH=" + bin + ":/usr/bin:/bin"}}})
	for _, c := range []struct {
		protocol string
		runs     record.Runs
	}{{protocol, record.OwnProgram}, {"unchoke.session/2", record.Delivered}} {
		h, s := begin(t, server.Target(), remote.Options{Protocol: c.protocol, Batch: true})
		converse(t, s)
		if h.Runs != c.runs || h.Facts.OwnVersion != "test" {
			t.Errorf("protocol %s: runs %q of version %q", c.protocol, h.Runs, h.Facts.OwnVersion)
		}
		s.Close()
	}
}

// A user's configuration may have sessions with this host begin otherwise.
func TestConfigurationOfSessions(t *testing.T) {
	lines := []string{"RemoteCommand tmux", "IgnoreUnknown UseKeychain,SessionType,StdinNull,ForkAfterAuthentication", "UseKeychain yes", "SessionType none", "StdinNull yes", "ForkAfterAuthentication yes"}
	server := sshtest.Start(t, sshtest.Options{Options: sshd.Options{ClientLines: lines}})
	h, s := begin(t, server.Target(), remote.Options{Protocol: protocol, Batch: true})
	converse(t, s)
	overSSH(t, h)
	s.Close()

	refuses := sshtest.Start(t, sshtest.Options{Options: sshd.Options{ClientLines: lines, Lines: []string{"ForceCommand exit 1"}}})
	_, err := dial(t, refuses.Target(), remote.Options{Batch: true})
	errorText(t, err, "does not run commands", "-o RemoteCommand=none -p ")
}

// A login shell may print what it likes.
func TestNoise(t *testing.T) {
	server := sshtest.Start(t, sshtest.Options{Options: sshd.Options{Lines: []string{
		`ForceCommand printf 'Welcome!\n\033[31m%s\n$ ' "$(seq 100)"; eval "$SSH_ORIGINAL_COMMAND"`,
		"Banner /etc/passwd",
	}}})
	_, s := begin(t, server.Target(), remote.Options{Protocol: protocol, Batch: true})
	converse(t, s)
	s.Close()
}

// errorText checks an error and its hint.
func errorText(t *testing.T, err error, what, hint string) {
	t.Helper()
	var e *remote.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v, want one about %q", err, what)
	}
	if !strings.Contains(e.Error(), what) || !strings.Contains(e.Hint(), hint) {
		t.Errorf("error %q, hint %q; want %q and %q", e, e.Hint(), what, hint)
	}
}

func TestErrors(t *testing.T) {
	for name, c := range map[string]struct {
		options    sshd.Options
		what, hint string
	}{
		"denied":     {sshd.Options{Lines: []string{"AuthorizedKeysFile none"}}, "refused the login", "ssh-add"},
		"unknown":    {sshd.Options{ClientLines: []string{"UserKnownHostsFile /dev/null"}}, "its host key is not known", "fingerprint"},
		"restricted": {sshd.Options{Lines: []string{"ForceCommand echo This account is not available. >&2; exit 1"}}, "does not run commands (status 1): This account is not available.", "POSIX shell"},
		"rbash":      {sshd.Options{Lines: []string{`ForceCommand PATH=/nowhere /bin/rbash -c "$SSH_ORIGINAL_COMMAND"`}}, "does not run commands (status 127)", "POSIX shell"},
		"sftp only":  {sshd.Options{Lines: []string{"ForceCommand internal-sftp"}}, "its login shell", "must work"},
		"babble":     {sshd.Options{Lines: []string{"ForceCommand yes"}}, "prints too much", "start-up file"},
		"algorithms": {sshd.Options{Lines: []string{"Ciphers aes256-ctr"}, ClientLines: []string{"Ciphers aes128-ctr"}}, "no algorithm in common", "ssh -v -p"},
	} {
		t.Run(name, func(t *testing.T) {
			server := sshtest.Start(t, sshtest.Options{Options: c.options})
			_, err := dial(t, server.Target(), remote.Options{Batch: true})
			errorText(t, err, c.what, c.hint)
			if names := left(t, server); len(names) > 0 {
				t.Errorf("left: %v", names)
			}
		})
	}
}

// A program for which there is less room than there seemed to be does not arrive
// whole: the error tells that, and no byte of it is taken for a verb.
func TestArrivesCutShort(t *testing.T) {
	server := sshtest.Start(t, sshtest.Options{Options: sshd.Options{Lines: []string{`ForceCommand trap "" XFSZ; ulimit -f 200; eval "$SSH_ORIGINAL_COMMAND"`}}})
	h, err := dial(t, server.Target(), remote.Options{Protocol: protocol, Batch: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Session(t.Context())
	errorText(t, err, "the program did not arrive whole: ", "make room")
	if errors.Is(err, remote.ErrNone) {
		t.Error("it says that something else can be tried there, and far.sh has left")
	}
	select {
	case <-h.Ended():
	case <-time.After(10 * time.Second):
		t.Error("far.sh did not leave")
	}
	h.Close()
	if names := left(t, server); len(names) > 0 {
		t.Errorf("left: %v", names)
	}
}

// A connection through ssh carries data both ways, has deadlines, and says why
// there is none.
func TestThrough(t *testing.T) {
	server := sshtest.Start(t, sshtest.Options{})
	h, err := dial(t, server.Target(), remote.Options{Batch: true})
	if err != nil {
		t.Fatal(err)
	}
	overSSH(t, h)
}

// overSSH opens connections from the host through ssh.
func overSSH(t *testing.T, h *remote.Host) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		conn, err := l.Accept()
		if err == nil {
			_, _ = io.Copy(conn, conn)
			conn.Close()
		}
	}()
	address := netip.MustParseAddrPort(l.Addr().String())
	conn, err := h.Through(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	data := bytes.Repeat([]byte("0123456789"), 100_000)
	go func() { _, _ = conn.Write(data) }()
	got := make([]byte, len(data))
	if _, err := io.ReadFull(conn, got); err != nil || !bytes.Equal(got, data) {
		t.Fatalf("through: %v", err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	if _, err := conn.Read(got); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("after the deadline: %v", err)
	}
	conn.Close()
	l.Close()
	refused, err := h.Through(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer refused.Close()
	_, err = refused.Read(got)
	errorText(t, err, "ssh opens no connection there", "AllowTcpForwarding")
}
