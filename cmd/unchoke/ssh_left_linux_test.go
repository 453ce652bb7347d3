package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"unchoke/internal/remote"
	"unchoke/internal/remote/sshd"
	"unchoke/internal/remote/sshtest"
)

var (
	sshSessions = flag.Int("ssh-sessions", 5, "how many checks over SSH to end at random moments")
	sshSeed     = flag.Uint64("ssh-seed", 1, "seed of the moments")
)

// ending is a way in which a session ends before its time.
type ending struct {
	name string
	end  func(*testing.T, *killed)
	// within is how long what was started may outlive it: the lease where nobody
	// hears of the end, and some seconds of a busy machine.
	within time.Duration
	// mayGoOn is set where what is killed may be something that the check does not
	// need.
	mayGoOn bool
}

const (
	soonGone = 10 * time.Second
	// longestCheck is far above what a quick check takes on a busy machine.
	longestCheck = 2 * time.Minute
)

var endings = []ending{
	{"^C", func(_ *testing.T, k *killed) { _ = syscall.Kill(-k.near.Process.Pid, syscall.SIGINT) }, soonGone + remote.Lease, false},
	{"near killed", func(_ *testing.T, k *killed) { _ = k.near.Process.Kill() }, soonGone, false},
	{"ssh killed", func(t *testing.T, k *killed) { k.kill(t, k.nearMark, "ssh") }, soonGone + remote.Lease, true},
	{"far killed", func(t *testing.T, k *killed) { k.kill(t, k.farMark, "") }, soonGone + remote.Lease, true},
	{"link down", func(_ *testing.T, k *killed) { k.down.Store(true) }, soonGone + 2*remote.Lease, false},
}

// killed is one session that is ended.
type killed struct {
	near              *exec.Cmd
	down              atomic.Bool
	nearMark, farMark string // in the environment of all that runs on either host
	random            *rand.Rand
}

// kill kills one process with a mark, of a name if one is given.
func (k *killed) kill(t *testing.T, mark, name string) {
	var pids []int
	for _, p := range marked(t, mark) {
		if name == "" || p.name == name {
			pids = append(pids, p.pid)
		}
	}
	if len(pids) > 0 {
		_ = syscall.Kill(pids[k.random.IntN(len(pids))], syscall.SIGKILL)
	}
}

// process is one that runs.
type process struct {
	pid  int
	name string
}

// marked are the processes with a text in their environment.
func marked(t *testing.T, mark string) []process {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var found []process
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(text, []byte(mark)) {
			continue
		}
		dir := filepath.Dir(name)
		pid, _ := strconv.Atoi(filepath.Base(dir))
		comm, _ := os.ReadFile(filepath.Join(dir, "comm"))
		if stat, err := os.ReadFile(filepath.Join(dir, "stat")); err == nil && !strings.Contains(string(stat), ") Z ") {
			found = append(found, process{pid, strings.TrimSpace(string(comm))})
		}
	}
	return found
}

// relay passes connections on to a port until its link is down: then nothing
// passes, and neither end is told.
func relay(t *testing.T, port int, down *atomic.Bool) (at int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	t.Cleanup(func() { close(over); l.Close() })
	pass := func(to, from net.Conn) {
		buf := make([]byte, 32<<10)
		for {
			n, err := from.Read(buf)
			if down.Load() {
				<-over
			}
			if n > 0 {
				_, _ = to.Write(buf[:n])
			}
			if err != nil {
				to.Close()
				return
			}
		}
	}
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				in.Close()
				continue
			}
			go pass(out, in)
			go pass(in, out)
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

// However a check over SSH ends, nothing is left on either host: no process, and
// so no listener, and no file.
func TestNothingIsLeft(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	sessions := *sshSessions
	seen := map[string]int{}
	var slowest time.Duration
	for n := range sessions {
		e := endings[n%len(endings)]
		t.Run(fmt.Sprintf("%d %s", n, e.name), func(t *testing.T) {
			took := endOne(t, e, rand.New(rand.NewPCG(*sshSeed, uint64(n))))
			slowest = max(slowest, took)
			seen[e.name]++
		})
	}
	t.Logf("%d sessions ended, %v; the last process was gone after %v at most", sessions, seen, slowest.Round(time.Second/10))
}

func endOne(t *testing.T, e ending, random *rand.Rand) time.Duration {
	mark := fmt.Sprintf("%x", random.Uint64())
	k := &killed{nearMark: "UNCHOKE_TEST_NEAR=" + mark, farMark: "UNCHOKE_TEST_FAR=" + mark, random: random}
	nearDir, farDir, state := t.TempDir(), t.TempDir(), t.TempDir()
	server := sshtest.Start(t, sshtest.Options{Options: sshd.Options{Env: []string{k.farMark, "XDG_RUNTIME_DIR=" + farDir}}})
	target := fmt.Sprintf("ssh://%s@127.0.0.1:%d", server.User, relay(t, server.Port, &k.down))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	k.near = &exec.Cmd{
		Path: self, Args: []string{"unchoke", "check", target, "--quick", "--no-predict", "--no-save"},
		Env:         append(os.Environ(), k.nearMark, "XDG_RUNTIME_DIR="+nearDir, "UNCHOKE_STATE_DIR="+state),
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
		Stdout:      io.Discard, Stderr: io.Discard,
	}
	if err := k.near.Start(); err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	go func() {
		_ = k.near.Wait()
		close(gone)
	}()
	moment := time.Duration(random.Int64N(int64(longestSession)))
	select {
	case <-gone:
	case <-time.After(moment):
	}
	e.end(t, k)
	if e.mayGoOn {
		// What was killed may not have been needed any more: the check ends then as
		// ever.
		select {
		case <-gone:
		case <-time.After(longestCheck):
			t.Errorf("%s after %v: the check does not end", e.name, moment)
		}
	}
	ended := time.Now()
	for {
		left := slices.Concat(marked(t, k.nearMark), marked(t, k.farMark))
		var files []string
		for _, dir := range []string{nearDir, farDir} {
			names, err := filepath.Glob(filepath.Join(dir, "*"))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, names...)
		}
		took := time.Since(ended)
		if len(left) == 0 && len(files) == 0 {
			t.Logf("%s after %v: nothing left after %v", e.name, moment.Round(time.Millisecond), took.Round(time.Millisecond))
			return took
		}
		if took > e.within {
			t.Errorf("%s after %v: left after %v: %v, %v", e.name, moment, took, left, files)
			for _, p := range left {
				_ = syscall.Kill(p.pid, syscall.SIGKILL)
			}
			return took
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// longestSession is about how long a quick check takes that nobody ends.
const longestSession = 9 * time.Second
