package timer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"unchoke/internal/tune/journal"
)

// Kept is a timer of a program whose file does not outlast it, as one that was
// delivered over SSH. It keeps a copy for as long as the round waits:
//
//	Arm      copies the program, and has the copy wait
//	Disarm   removes the copy: the round is kept, or taken back
//	Sweep    removes what a run left that was killed in between
//
// The journal has the copy's name from Armed on.
type Kept struct {
	// Program is the file that is copied: /proc/self/exe, which opens also where
	// its name is gone.
	Program string
	// Dirs are where the copy may be, the best first: nobody else can replace a
	// file in them. One in which no program may run, or that has no room, is passed
	// over.
	Dirs []string
	// Command is that of Timer, for a program.
	Command func(program, round string, arguments ...string) []string
	Process bool

	booted string // as in Timer
}

// keptPrefix begins the name of a copy; a round's ID follows.
const keptPrefix = "unchoke-revert-"

// Arm implements apply.Timer.
func (k Kept) Arm(ctx context.Context, round string, after time.Duration) (journal.Timer, error) {
	var tried []error
	for _, dir := range k.Dirs {
		file := filepath.Join(dir, keptPrefix+round)
		armed, err := k.armIn(ctx, file, round, after)
		if err == nil {
			armed.Program = file
			return armed, nil
		}
		_ = os.Remove(file)
		tried = append(tried, fmt.Errorf("in %s: %w", dir, err))
		if ctx.Err() != nil {
			break
		}
	}
	return journal.Timer{}, fmt.Errorf("keep this program for the timer: %w", errors.Join(tried...))
}

func (k Kept) armIn(ctx context.Context, file, round string, after time.Duration) (journal.Timer, error) {
	if err := copyProgram(k.Program, file); err != nil {
		return journal.Timer{}, err
	}
	t := Timer{Process: k.Process, booted: k.booted, Command: func(round string, arguments ...string) []string {
		return k.Command(file, round, arguments...)
	}}
	return t.Arm(ctx, round, after)
}

// Disarm implements apply.Timer.
func (k Kept) Disarm(timer journal.Timer) error { return Timer{}.Disarm(timer) }

// Sweep is Timer's.
func (k Kept) Sweep(but string) { Timer{Dirs: k.Dirs}.Sweep(but) }

// Sweep removes copies in Dirs but the named one. The caller holds the journal's
// lock, so that no copy is about to be named.
func (t Timer) Sweep(but string) {
	for _, dir := range t.Dirs {
		names, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, n := range names {
			if file := filepath.Join(dir, n.Name()); file != but && isCopy(file) {
				_ = os.Remove(file)
			}
		}
	}
}

// isCopy says that a name is one that Arm gives.
func isCopy(file string) bool {
	round, ours := strings.CutPrefix(filepath.Base(file), keptPrefix)
	return ours && filepath.IsAbs(file) && round != "" && strings.Trim(round, "0123456789abcdef") == ""
}

// copyProgram makes a new file that this user alone can read, write and run.
func copyProgram(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
