//go:build !slim

package remote

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os/exec"
	"slices"
	"sync"
	"time"

	"unchoke/internal/record"
)

//go:embed far.sh
var farScript string

// Host is a far host that ssh has let us in to.
type Host struct {
	Target Target
	Facts  Facts
	// Hostname is the name or address that ssh's configuration gives the host;
	// Jumps says that the way there leads over other hosts or a program.
	Hostname string
	Jumps    bool
	// Runs tells who runs there, once something does.
	Runs record.Runs
	// Warnings are what the user should know.
	Warnings []string

	options Options
	held    []string // of ssh's options, what the user's configuration needs
	control *control
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     io.Closer
	words   *words
	log     *sshLog
	ended   chan struct{} // ssh has ended
	status  int           // then

	secret string // sudo's password; asked says that sudo wants it
	asked  bool

	beats  context.CancelFunc
	mu     sync.Mutex // of in, while beats run
	closer sync.Once
}

// Dial logs in to the far host and learns what is there. Where large packets seem
// to vanish on the way, it tries once more with small ones, if the way there leads
// over no other host: with a command of the user's between, they are not this
// host's to choose. The context bounds Dial alone. Close ends the connection.
func Dial(ctx context.Context, t Target, o Options) (*Host, error) {
	if err := needSSH(t); err != nil {
		return nil, err
	}
	c, err := t.readConfig(ctx, o.Arguments)
	if err != nil {
		return nil, err
	}
	o.Arguments = slices.Concat(c.held, o.Arguments) // ssh takes the first
	h, err := dial(ctx, t, c, o)
	if err == nil || c.jumps || !errors.Is(err, ErrStalled) {
		return h, err
	}
	arguments, ok := o.small()
	if !ok {
		return nil, err
	}
	o.progress("log in with small packets")
	o.Arguments = arguments
	h, again := dial(ctx, t, c, o)
	if again != nil {
		return nil, err // with small packets it is no better: what was said first holds
	}
	h.Warnings = append(h.Warnings, smallSegmentsWarning)
	return h, nil
}

func dial(ctx context.Context, t Target, c config, o Options) (*Host, error) {
	h := &Host{Target: t, Hostname: c.hostname, Jumps: c.jumps, options: o, held: c.held, ended: make(chan struct{})}
	var err error
	if h.control, err = newControl(); err != nil {
		return nil, err
	}
	o.progress("log in to " + t.Host)
	if err := h.start(c); err != nil {
		h.control.close()
		return nil, err
	}
	stop := context.AfterFunc(ctx, h.kill)
	err = h.meet(ctx)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		h.kill()
		h.Close()
		return nil, err
	}
	h.keepAlive()
	return h, nil
}

// start starts ssh and sends it far.sh.
func (h *Host) start(c config) error {
	nonce := make([]byte, 16)
	_, _ = rand.Read(nonce) // does not fail
	mark := hex.EncodeToString(nonce)
	script := fmt.Sprintf("nonce=%s lease=%d\n%s", mark, int(Lease.Seconds()), farScript)
	more := []string{"-v", "-o", fmt.Sprintf("ServerAliveInterval=%d", int(Beat.Seconds())), "-o", fmt.Sprintf("ServerAliveCountMax=%d", Lease/Beat)}
	if !c.timeout {
		more = append(more, "-o", fmt.Sprintf("ConnectTimeout=%d", int(connectTimeout.Seconds())))
	}
	if h.control.path() != "" {
		more = append(more, "-o", "ControlMaster=yes")
	}
	cmd := h.Target.ssh(h.options, h.control.path(), more...)
	cmd.Args = append(cmd.Args, bootstrap(len(script)))
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	said, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start ssh: %w", err)
	}
	h.cmd, h.in, h.out, h.words, h.log = cmd, in, out, newWords(out, mark), readLog(said)
	go func() {
		h.status = exitStatus(cmd)
		select {
		case <-h.log.done:
		case <-time.After(time.Second): // what ssh started holds it open
		}
		said.Close()
		close(h.ended)
	}()
	go func() { _, _ = io.WriteString(in, script) }() // an ssh that ended says why
	return nil
}

// exitStatus waits for the process itself: its output is read by others still.
func exitStatus(cmd *exec.Cmd) int {
	state, err := cmd.Process.Wait()
	if err != nil {
		return statusSSH
	}
	return state.ExitCode()
}

// meet hears what is on the far host.
func (h *Host) meet(ctx context.Context) error {
	slow := make(chan struct{})
	heard := make(chan struct{})
	defer close(heard)
	go func() {
		select { // a user may take any time to type a passphrase
		case <-h.log.in:
		case <-heard:
			return
		}
		select {
		case <-time.After(shellTimeout):
			close(slow)
			h.kill()
		case <-heard:
		}
	}()
	for {
		key, value, err := h.words.next()
		switch {
		case err == nil && key == "ready":
			return nil
		case err == nil:
			h.Facts.add(key, value)
			continue
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, errNoise):
			return &Error{
				Target: h.Target, what: err.Error(),
				hint: "a shell's start-up file must print nothing where there is no terminal: `[ -t 0 ] || return` at its head",
			}
		}
		select {
		case <-slow:
			return &Error{
				Target: h.Target, what: fmt.Sprintf("its login shell ran nothing for %v", shellTimeout), said: last(h.log.lines()),
				hint: h.hint("`ssh %s sh -c true` must work without asking anything"),
			}
		case <-h.ended:
		case <-time.After(closeTimeout):
			h.kill()
			<-h.ended
		}
		if e := stalled(h.Target, h.log); e != nil {
			return e
		}
		return explain(h.Target, h.log.lines(), h.status, h.held...)
	}
}

// Address is the address that ssh reached; it is not the far host's where ssh
// jumps.
func (h *Host) Address() netip.Addr {
	h.log.mu.Lock()
	defer h.log.mu.Unlock()
	return h.log.address
}

// Cipher of the connection, empty where ssh did not tell.
func (h *Host) Cipher() string {
	h.log.mu.Lock()
	defer h.log.mu.Unlock()
	return h.log.cipher
}

// Said are the last lines that ssh and the far side wrote to standard error.
func (h *Host) Said() []string { return h.log.lines() }

// keepAlive tells far.sh now and then that near is there.
func (h *Host) keepAlive() {
	ctx, cancel := context.WithCancel(context.Background())
	h.beats = cancel
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-h.ended:
				return
			case <-time.After(Beat):
			}
			h.mu.Lock()
			if ctx.Err() == nil {
				_, _ = io.WriteString(h.in, "beat\n")
			}
			h.mu.Unlock()
		}
	}()
}

// order sends far.sh a line.
func (h *Host) order(format string, args ...any) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, err := fmt.Fprintf(h.in, format+"\n", args...); err != nil {
		return h.lost(err)
	}
	return nil
}

// lost is the error of a connection that broke.
func (h *Host) lost(err error) error {
	select {
	case <-h.ended:
	case <-time.After(time.Second):
	}
	return connectionLost(h.Target, last(h.log.lines()), err)
}

// Ended is closed when ssh has ended.
func (h *Host) Ended() <-chan struct{} { return h.ended }

// Explain adds what ssh and the far side said to an error of a session, where
// the connection is lost.
func (h *Host) Explain(err error) error {
	if err == nil {
		return nil
	}
	return h.lost(err)
}

// Close ends what runs on the far host and the connection. It is safe to call
// more than once.
func (h *Host) Close() {
	h.closer.Do(func() {
		if h.beats != nil {
			h.beats()
		}
		h.in.Close()
		select {
		case <-h.ended:
		case <-time.After(closeTimeout):
			h.kill()
			<-h.ended
		}
		h.out.Close()
		h.control.close()
	})
}

func (h *Host) kill() { _ = h.cmd.Process.Kill() }
