package timer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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
	// Mark is in the copy's name, as of Mark; empty of the default journal.
	Mark string
	// Command is that of Timer, for a program.
	Command func(program, round string, arguments ...string) []string
	Process bool

	booted string // as in Timer
}

// keptPrefix begins the name of a copy; a mark, if there is one, and a round's ID
// follow.
const keptPrefix = "unchoke-revert-"

// Mark tells the copies of the journal in a directory from those of others: a
// trial of another journal needs its own as long as it waits.
func Mark(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return hex.EncodeToString(sum[:4])
}

// marked begins the names of the copies of one journal.
func marked(mark string) string {
	if mark != "" {
		mark += "-"
	}
	return keptPrefix + mark
}

// Arm implements apply.Timer.
func (k Kept) Arm(ctx context.Context, round string, after time.Duration) (journal.Timer, error) {
	var tried []error
	for _, dir := range k.Dirs {
		file := filepath.Join(dir, marked(k.Mark)+round)
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
func (k Kept) Sweep(but string) { Timer{Dirs: k.Dirs, Mark: k.Mark}.Sweep(but) }

// Sweep removes the journal's copies in Dirs but the named one. The caller holds
// its lock, so that no copy is about to be named.
func (t Timer) Sweep(but string) {
	for _, dir := range t.Dirs {
		names, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, n := range names {
			round, ours := strings.CutPrefix(n.Name(), marked(t.Mark))
			if file := filepath.Join(dir, n.Name()); file != but && ours && isHex(round) {
				_ = os.Remove(file)
			}
		}
	}
}

// isCopy says that a name is one that Arm gives, for any journal.
func isCopy(file string) bool {
	rest, ours := strings.CutPrefix(filepath.Base(file), keptPrefix)
	if mark, round, found := strings.Cut(rest, "-"); found && isHex(mark) {
		rest = round
	}
	return ours && filepath.IsAbs(file) && isHex(rest)
}

func isHex(s string) bool { return s != "" && strings.Trim(s, "0123456789abcdef") == "" }

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
