// Package ledger is a file of JSON lines, each there to stay before the effect
// that it announces: what a crash, or a full disk, cuts short is no line.
package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"unchoke/internal/tune/disk"
)

// Ledger is the file, held by whoever has the lock of its directory.
type Ledger struct {
	disk disk.Disk
	path string
	size int64 // of the whole lines
	torn bool  // part of a line comes after them
}

// CorruptError is a file that was changed by something else than this program.
type CorruptError struct {
	File string
	Line int
	Err  error
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("read %s, line %d: %v", e.File, e.Line, e.Err)
}

func (e *CorruptError) Unwrap() error { return e.Err }

// Hint is the next step.
func (e *CorruptError) Hint() string {
	return "the lines before it tell what was changed and what it was before; move the file away once that is put right by hand"
}

// Open reads a file, which need not exist, and gives its events to take, the
// oldest first. Where take refuses one, the error is a *CorruptError.
func Open[E any](d disk.Disk, path string, take func(E) error) (*Ledger, error) {
	l := &Ledger{disk: d, path: path}
	b, err := d.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	size, err := Lines(b, take)
	if corrupt, ok := errors.AsType[*CorruptError](err); ok {
		corrupt.File = path
	}
	if err != nil {
		return nil, err
	}
	l.size, l.torn = int64(size), size < len(b)
	return l, nil
}

// Lines reads events, a line of JSON each. A last line that a crash cut short is
// not one: size is how much comes before it. Where take refuses an event, or a
// line is none, the error is a *CorruptError.
func Lines[E any](b []byte, take func(E) error) (size int, err error) {
	for n := 1; size < len(b); n++ {
		line, _, whole := bytes.Cut(b[size:], []byte{'\n'})
		var e E
		err := json.Unmarshal(line, &e)
		last := size+len(line)+1 >= len(b)
		if last && (!whole || err != nil) {
			return size, nil
		}
		if err == nil {
			err = take(e)
		}
		if err != nil {
			return size, &CorruptError{Line: n, Err: err}
		}
		size += len(line) + 1
	}
	return size, nil
}

// Write adds an event and returns when it will be there after a crash.
func (l *Ledger) Write(event any) error {
	line, err := json.Marshal(event)
	if err != nil {
		return fmt.Errorf("write %s: %w", l.path, err)
	}
	if err := l.write(append(line, '\n')); err != nil {
		return fmt.Errorf("write %s: %w", l.path, err)
	}
	return nil
}

func (l *Ledger) write(line []byte) error {
	first := l.size == 0
	if l.torn {
		if err := l.disk.Truncate(l.path, l.size); err != nil {
			return err
		}
	}
	l.torn = true // until all of it is there
	if err := l.disk.Append(l.path, line); err != nil {
		return err
	}
	if err := l.disk.Sync(l.path); err != nil {
		return err
	}
	if first {
		if err := l.disk.Sync(filepath.Dir(l.path)); err != nil {
			return err
		}
	}
	l.size, l.torn = l.size+int64(len(line)), false
	return nil
}

// Clear makes the next event the first: nothing counts any more that is there.
func (l *Ledger) Clear() { l.size, l.torn = 0, l.size > 0 || l.torn }

// SetAside gives the file another name; the next event begins a new one.
func (l *Ledger) SetAside(path string) error {
	if l.torn {
		if err := l.disk.Truncate(l.path, l.size); err != nil {
			return err
		}
	}
	if err := l.disk.Rename(l.path, path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	l.size, l.torn = 0, false
	return nil
}
