package machine

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"unchoke/internal/bounded"
	"unchoke/internal/lab/stage"
)

// Run boots a machine, runs the job in it and returns near's exit status. When
// it returns, nothing of the machine is left on this host.
func Run(ctx context.Context, spec Spec) (status int, err error) {
	if spec.Memory == 0 {
		spec.Memory = DefaultMemory
	}
	if spec.StallTimeout == 0 {
		spec.StallTimeout = DefaultStallTimeout
	}
	if spec.Beat == 0 {
		spec.Beat = DefaultBeat
	}
	order := bootOrder{Job: spec.Job, Writable: spec.Writable, NoInput: spec.Stdin == nil, Beat: spec.Beat}
	if spec.Terminal != nil {
		size, err := windowOf(spec.Terminal)
		if err != nil {
			return 0, err
		}
		order.Terminal = &size
	}
	place, err := newPlace(spec.Memory)
	if err != nil {
		return 0, err
	}
	defer place.remove()
	data, err := json.Marshal(order)
	if err != nil {
		return 0, fmt.Errorf("write the machine's order: %w", err)
	}
	if err := os.WriteFile(place.share(bootFile), data, 0o600); err != nil {
		return 0, fmt.Errorf("write the machine's order: %w", err)
	}

	p, err := start(spec, place)
	if err != nil {
		return 0, err
	}
	defer p.end()
	u := newUser(spec, place, p.in, p.out)
	defer close(u.over)
	return u.run(ctx, p)
}

func windowOf(f *os.File) (window, error) {
	ws, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return window{}, fmt.Errorf("ask the terminal for its size: %w", err)
	}
	return window{ws.Row, ws.Col}, nil
}

// user is this host's end of the serial line.
type user struct {
	spec  Spec
	place *place
	in    *os.File // to the machine
	out   *os.File // from it

	mu      sync.Mutex      // one frame at a time
	ready   context.Context // done when init listens
	listens func()
	taken   chan struct{}
	far     bounded.Tail

	over       chan struct{} // closed at the end of Run
	inputError chan error    // has room, since reading the input may outlast Run
}

func newUser(spec Spec, place *place, in, out *os.File) *user {
	u := &user{
		spec: spec, place: place, in: in, out: out,
		taken: make(chan struct{}, inputWindow), over: make(chan struct{}), inputError: make(chan error, 1),
	}
	u.ready, u.listens = context.WithCancel(context.Background())
	return u
}

// result is how a machine's life ended, as seen from the serial line.
type result struct {
	status int
	err    error
}

// errLineClosed is the end of the serial line without a last frame.
var errLineClosed = errors.New("the machine closed its line")

func (u *user) run(ctx context.Context, p *process) (int, error) {
	results := make(chan result, 1)
	alive := make(chan struct{}, 1)
	go func() { results <- u.receive(alive) }()
	if u.spec.Stdin != nil {
		go u.sendInput()
	}

	stalled := time.NewTimer(u.spec.StallTimeout)
	defer stalled.Stop()
	var graceOver <-chan time.Time
	var asked syscall.Signal
	for {
		select {
		case r := <-results:
			if errors.Is(r.err, errLineClosed) {
				return 0, p.crashed()
			}
			return r.status, r.err
		case err := <-u.inputError:
			return 0, err
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		case <-alive:
			stalled.Reset(u.spec.StallTimeout)
		case <-stalled.C:
			return 0, p.stood(u.spec.StallTimeout)
		case s := <-u.spec.Signals:
			sig, _ := s.(syscall.Signal)
			if sig == unix.SIGWINCH {
				u.sendWindow()
				continue
			}
			listening := u.ready.Err() != nil
			if stage.AsksToEnd(sig) {
				if asked != 0 || !listening {
					return stage.SignalStatus(sig), nil
				}
				asked, graceOver = sig, time.After(stage.Grace)
			}
			if listening {
				u.send(frameSignal, []byte{byte(sig)})
			}
		case <-graceOver:
			return stage.SignalStatus(asked), nil
		}
	}
}

// send writes a frame. A machine that is gone shows at the receiving side.
func (u *user) send(kind frameType, payload []byte) {
	u.mu.Lock()
	defer u.mu.Unlock()
	_, _ = u.in.Write(appendFrame(nil, frame{kind, payload}))
}

func (u *user) sendWindow() {
	if u.spec.Terminal == nil {
		return
	}
	if w, err := windowOf(u.spec.Terminal); err == nil {
		u.send(frameWindow, binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, w.Rows), w.Cols))
	}
}

// receive takes frames until the last one. Every frame is a sign of life; so is
// having waited for whoever reads our output.
func (u *user) receive(alive chan<- struct{}) result {
	buf := make([]byte, maxPayload)
	for {
		f, err := readFrame(u.out, buf)
		if err != nil {
			return result{err: errLineClosed}
		}
		var writeErr error
		switch f.kind {
		case frameStdout:
			_, writeErr = u.spec.Stdout.Write(f.payload)
		case frameStderr:
			_, writeErr = u.spec.Stderr.Write(f.payload)
		case frameFarOutput:
			if u.spec.FarOutput != nil {
				_, writeErr = u.spec.FarOutput.Write(f.payload)
			} else {
				_, _ = u.far.Write(f.payload)
			}
		case frameNotice:
			u.showFar()
			_, writeErr = fmt.Fprintf(u.spec.Stderr, "unchoke: %s\n", f.payload)
		case frameReady:
			u.listens()
		case frameTaken:
			select {
			case u.taken <- struct{}{}:
			default: // more than were sent: a machine's mistake
			}
		case frameExit:
			if len(f.payload) != 4 {
				return result{err: fmt.Errorf("the machine sent a wrong exit status % x", f.payload)}
			}
			return result{status: int(binary.BigEndian.Uint32(f.payload))}
		case frameFailure:
			var failure stage.Failure
			if err := json.Unmarshal(f.payload, &failure); err != nil {
				return result{err: fmt.Errorf("the machine sent a wrong failure: %w", err)}
			}
			u.showFar()
			return result{err: &failure}
		}
		if writeErr != nil {
			if errors.Is(writeErr, syscall.EPIPE) {
				return result{status: stage.SignalStatus(syscall.SIGPIPE)}
			}
			return result{err: fmt.Errorf("pass on the command's output: %w", writeErr)}
		}
		select {
		case alive <- struct{}{}:
		default:
		}
	}
}

// showFar writes what far said last.
func (u *user) showFar() {
	if text := strings.TrimRight(u.far.Take(), "\n"); text != "" {
		for line := range strings.SplitSeq(text, "\n") {
			fmt.Fprintf(u.spec.Stderr, "far: %s\n", line)
		}
	}
}

// sendInput passes standard input on, a window of chunks ahead of near. It may
// wait for input when Run has returned, and so writes to none of the streams.
func (u *user) sendInput() {
	select {
	case <-u.ready.Done():
	case <-u.over:
		return
	}
	buf := make([]byte, inputChunk)
	var sent uint64 // chunks
	for {
		size, err := u.spec.Stdin.Read(buf)
		if size > 0 {
			if sent >= inputWindow {
				select {
				case <-u.taken:
				case <-u.over:
					return
				}
				_ = os.Remove(u.place.share(chunkName(sent - inputWindow))) // else it goes with the rest
			}
			if err := os.WriteFile(u.place.share(chunkName(sent)), buf[:size], 0o600); err != nil {
				u.inputError <- fmt.Errorf("pass on standard input: %w", err)
				return
			}
			u.send(frameInput, binary.BigEndian.AppendUint64(nil, sent))
			sent++
		}
		switch {
		case errors.Is(err, io.EOF):
			u.send(frameEOF, nil)
			return
		case err != nil:
			u.inputError <- fmt.Errorf("read standard input: %w", err)
			return
		}
	}
}
