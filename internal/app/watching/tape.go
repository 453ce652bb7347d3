package watching

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"time"

	"unchoke/internal/app/request"
	"unchoke/internal/live"
	"unchoke/internal/live/tape"
	"unchoke/internal/watch"
)

// Tape plays a recording of a watch, as a source. All of it may be called while
// another goroutine waits in Next.
type Tape struct {
	file *os.File

	mu     sync.Mutex
	reader *tape.Reader
	name   string
	speed  float64 // 0: as fast as it is read
	paused bool
	stays  bool
	over   bool           // the end was reached
	next   *live.Snapshot // read, and not yet due
	jumped bool           // next is due at once
	at     time.Time      // of the recording: of the newest snapshot that was given
	since  time.Time      // real: when that was
	wake   chan struct{}  // closed and replaced where one of the above has changed
}

// longestGap is how much of a time in which nothing was recorded is waited for:
// the host may have slept for hours.
const longestGap = watch.Longest

// OpenTape opens a recording. A file that is none is a *Error.
func OpenTape(name string) (*Tape, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, &request.Error{Err: fmt.Errorf("replay: %w", err)}
	}
	reader, err := openRecording(file)
	if err != nil {
		file.Close()
		hint := ""
		if errors.Is(err, tape.ErrNotRecording) {
			hint = "unchoke watch --record FILE makes one"
		}
		return nil, &request.Error{Err: fmt.Errorf("replay %s: %w", name, err), Next: hint}
	}
	return &Tape{file: file, reader: reader, name: name, speed: 1, jumped: true, wake: make(chan struct{})}, nil
}

func openRecording(file *os.File) (*tape.Reader, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: it is no file", tape.ErrNotRecording)
	}
	return tape.Open(file, info.Size())
}

// Close closes the file.
func (t *Tape) Close() error { return t.file.Close() }

// Info is what the recording says of itself.
func (t *Tape) Info() tape.Info { return t.reader.Info() }

// Fault is why the recording ends where it does; nil where its recorder ended it.
func (t *Tape) Fault() error {
	if err := t.reader.Fault(); err != nil {
		return fmt.Errorf("replay %s: %w", t.name, err)
	}
	return nil
}

// Stay makes Next wait behind the last snapshot, for somebody to wind back.
func (t *Tape) Stay() { t.change(func() { t.stays = true }) }

// change changes something and wakes whoever waits in Next.
func (t *Tape) change(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
	close(t.wake)
	t.wake = make(chan struct{})
}

// Position is how far into the recording the newest snapshot was, and how long
// that is; a length of 0 is not known.
func (t *Tape) Position() (at, length time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	length = t.reader.Length()
	if t.at.IsZero() {
		return 0, length
	}
	at = t.at.Sub(t.reader.Start())
	return at, max(at, length)
}

// Seek winds to a time since the recording's beginning, or to its nearest end.
// Next gives the snapshot there, also where it is paused.
func (t *Tape) Seek(to time.Duration) {
	t.change(func() {
		t.reader.Seek(to)
		t.next, t.over, t.jumped = nil, false, true
	})
}

// Pause stops the tape, or lets it go on.
func (t *Tape) Pause(paused bool) {
	t.change(func() {
		t.paused = paused
		t.since = time.Now()
	})
}

// Paused says whether it is stopped.
func (t *Tape) Paused() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.paused
}

// SetSpeed sets how many times faster than it was recorded it plays: 1 is as it
// was, 0 as fast as it is read.
func (t *Tape) SetSpeed(speed float64) { t.change(func() { t.speed = max(speed, 0) }) }

// Speed is what SetSpeed set.
func (t *Tape) Speed() float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.speed
}

// Next implements live.Source.
func (t *Tape) Next(ctx context.Context) (*live.Snapshot, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s, wait, wake, err := t.step()
		if s != nil || err != nil {
			return s, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// step gives the next snapshot where it is due, else how long to wait for it.
func (t *Tape) step() (s *live.Snapshot, wait time.Duration, wake chan struct{}, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.next == nil && !t.over {
		t.next, err = t.reader.Next()
		if errors.Is(err, io.EOF) {
			t.over = true
		} else if err != nil {
			return nil, 0, nil, fmt.Errorf("replay %s: %w", t.name, err)
		}
	}
	switch {
	case t.over && !t.stays:
		return nil, 0, nil, io.EOF
	case t.over:
		return nil, math.MaxInt64, t.wake, nil
	}
	if wait = t.due(time.Now()); wait > 0 {
		return nil, wait, t.wake, nil
	}
	s = t.next
	t.next, t.jumped, t.at, t.since = nil, false, s.Time, time.Now()
	return s, 0, nil, nil
}

// due is how long the next snapshot is to wait.
func (t *Tape) due(now time.Time) time.Duration {
	switch {
	case t.jumped || t.at.IsZero():
		return 0
	case t.paused:
		return math.MaxInt64
	case t.speed == 0:
		return 0
	}
	gap := min(t.next.Time.Sub(t.at), longestGap)
	wait := float64(gap) / t.speed
	if wait >= math.MaxInt64 { // no duration is as long
		return math.MaxInt64
	}
	return t.since.Add(time.Duration(wait)).Sub(now)
}
