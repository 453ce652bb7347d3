package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"unchoke/internal/tune/disk"
)

// Names in the journal's directory.
const (
	current  = "journal.jsonl"
	previous = "previous.jsonl" // the one before, of which nothing stands any more
)

// Live is the file beside it that package tune/live keeps.
const Live = "live.jsonl"

// dirMode keeps old files' contents from other users.
const dirMode fs.FileMode = 0o700

// Journal is the file, opened by whoever holds the lock.
type Journal struct {
	disk  disk.Disk
	dir   string
	state State
	size  int64 // of the whole lines
	torn  bool  // a crash, or a full disk, left part of a line after them
}

// CorruptError is a journal that was changed by something else than this
// program.
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

// Open reads the journal in a directory. None is one in which nothing stands.
func Open(d disk.Disk, dir string) (*Journal, error) {
	if err := trusted(d, dir); err != nil {
		return nil, err
	}
	j := &Journal{disk: d, dir: dir, state: State{Phase: Idle}}
	b, err := d.Read(j.file())
	if errors.Is(err, fs.ErrNotExist) {
		return j, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	state, size, err := Parse(b)
	if corrupt, ok := errors.AsType[*CorruptError](err); ok {
		corrupt.File = j.file()
	}
	if err != nil {
		return nil, err
	}
	j.state, j.size, j.torn = state, int64(size), size < len(b)
	return j, nil
}

// Parse adds up a journal's events. An effect follows only on a whole line, so
// that nothing came of one that a crash cut short.
func Parse(b []byte) (s State, size int, err error) {
	s.Phase = Idle
	size, err = Lines(b, func(e Event) (err error) {
		s, err = s.after(e)
		return err
	})
	return s, size, err
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

// State is what the events so far add up to.
func (j *Journal) State() State { return j.state }

// Write adds an event and returns when it will be there after a crash.
func (j *Journal) Write(e Event) error {
	next, err := j.state.after(e)
	if err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	if err := j.prepare(e.Kind); err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	line = append(line, '\n')
	j.torn = true // until all of it is there
	if err := j.disk.Append(j.file(), line); err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	if err := j.disk.Sync(j.file()); err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	j.state, j.size, j.torn = next, j.size+int64(len(line)), false
	return nil
}

// prepare makes room for a line: a new file where nothing stands of the old
// one, and the old one without its torn end otherwise.
func (j *Journal) prepare(kind EventKind) error {
	if j.torn {
		if err := j.disk.Truncate(j.file(), j.size); err != nil {
			return err
		}
		j.torn = false
	}
	if kind != Began || j.state.Phase != Idle {
		return nil
	}
	if err := disk.MkdirAll(j.disk, j.dir, dirMode); err != nil {
		return err
	}
	err := j.disk.Rename(j.file(), filepath.Join(j.dir, previous))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := j.disk.Append(j.file(), nil); err != nil {
		return err
	}
	j.size = 0
	return j.disk.Sync(j.dir)
}

func (j *Journal) file() string { return filepath.Join(j.dir, current) }
