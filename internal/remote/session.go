//go:build !slim

package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"unchoke/internal/record"
)

// ErrNone says that nothing on the far host, and nothing that could be brought
// there, speaks the session's protocol.
var ErrNone = errors.New("unchoke cannot run there")

// Session starts unchoke on the far host: its own where it speaks the protocol,
// else one that is delivered. What comes back carries the session's lines;
// closing it ends the far process. Where neither can run the error is ErrNone,
// and Serve is what is left.
func (h *Host) Session(ctx context.Context) (io.ReadWriteCloser, error) {
	stop := context.AfterFunc(ctx, h.kill)
	defer stop()
	if h.options.Become {
		if err := h.order("become"); err != nil {
			return nil, err
		}
	}
	if h.ownServes() {
		h.options.progress("start unchoke there")
		if err := h.begin("own"); err != nil {
			return nil, err
		}
		if _, err := h.await(ctx, "start"); err != nil {
			return nil, cmp.Or(context.Cause(ctx), err)
		}
		if err := h.handOver(); err != nil {
			return nil, err
		}
		h.Runs = record.OwnProgram
		return &session{h}, nil
	}
	if err := h.deliver(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, err
	}
	h.Runs = record.Delivered
	return &session{h}, nil
}

// ownServes says that the far host's own unchoke is what is asked for.
func (h *Host) ownServes() bool {
	o, f := h.options, h.Facts
	return o.FarBinary == "" && o.Protocol != "" && f.OwnProtocol == o.Protocol && (o.Needs == "" || slices.Contains(f.OwnDoes, o.Needs))
}

// begin gives the order after which standard input is no longer far.sh's.
func (h *Host) begin(format string, args ...any) error {
	h.beats()
	return h.order(format, args...)
}

// deliver copies a program and has it started.
func (h *Host) deliver(ctx context.Context) error {
	system, architecture := h.Facts.Platform()
	p, err := findProgram(h.options, system, architecture)
	if errors.Is(err, errNoProgram) {
		return &Error{
			Target: h.Target, what: fmt.Sprintf("it is %s on %s", h.Facts.System, h.Facts.Machine), cause: fmt.Errorf("%w: %w", ErrNone, err),
			hint: "--far-binary names a program for it, or a directory of release binaries; or install unchoke there",
		}
	}
	if err != nil {
		return &Error{Target: h.Target, what: err.Error(), hint: "--far-binary names a program, or a directory of them", cause: err}
	}
	load, err := p.pack(h.Facts.Gzip)
	if err != nil {
		return fmt.Errorf("pack %s: %w", p.file, err)
	}
	h.options.progress(fmt.Sprintf("copy unchoke there, %d KiB", len(load.data)>>10))
	if err := h.begin("deliver %d %s %d %s", len(load.data), load.sum, load.need, load.form); err != nil {
		return err
	}
	unfit, err := h.await(ctx, "send")
	if err != nil {
		return h.refused(err, unfit)
	}
	// What goes wrong with it far.sh tells, or the end of the connection.
	_, _ = h.in.Write(load.data)
	if _, err = h.await(ctx, "start"); err != nil {
		return h.refused(err, nil)
	}
	return h.handOver()
}

// refused is the error of a delivery that far.sh gave up.
func (h *Host) refused(err error, unfit []string) error {
	var failed farError
	if !errors.As(err, &failed) {
		return err
	}
	// far.sh listens again.
	h.keepAlive()
	what := string(failed)
	if len(unfit) > 0 {
		what += " (" + strings.Join(unfit, "; ") + ")"
	}
	return &Error{Target: h.Target, what: what, cause: ErrNone, hint: roomHint}
}

// roomHint is what helps where a program finds no room.
const roomHint = "install unchoke there, or make room in a directory in which programs may run: XDG_RUNTIME_DIR, /tmp, the home directory or /var/tmp"

// farError is what far.sh says has failed.
type farError string

func (e farError) Error() string { return string(e) }

// await waits for a word of far.sh, and returns which directories it found
// unfit on the way.
func (h *Host) await(ctx context.Context, want string) (unfit []string, err error) {
	for {
		key, value, err := h.words.next()
		switch {
		case err != nil:
			return unfit, h.lost(err)
		case key == want:
			return unfit, nil
		case key == "failed":
			return unfit, farError(value)
		case key == "short": // far.sh leaves then
			return unfit, &Error{Target: h.Target, what: value, hint: roomHint}
		case key == "unfit":
			unfit = append(unfit, value)
		case key == "password":
			h.asked = true
			if err := h.password(ctx); err != nil {
				return unfit, err
			}
		case key == "refused":
			return unfit, h.refusedRights(value)
		case key == "unsummed":
			h.Warnings = append(h.Warnings, "the far host has no program for checksums: of the delivered program only the size was checked there")
		}
	}
}

// session is the far process's standard input and output.
type session struct{ host *Host }

func (s *session) Read(p []byte) (int, error)  { return s.host.words.in.Read(p) }
func (s *session) Write(p []byte) (int, error) { return s.host.in.Write(p) }

// Close ends the far process and with it the connection, which was its.
func (s *session) Close() error {
	s.host.Close()
	return nil
}
