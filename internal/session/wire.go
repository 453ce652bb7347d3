package session

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"unchoke/internal/pack"
)

// request is a line of the near end.
type request struct {
	ID   uint64          `json:"id"`
	Do   string          `json:"do"`
	With json.RawMessage `json:"with,omitempty"`
}

// reply is a line of the far end. The last one of an ID has neither More nor
// Progress.
type reply struct {
	ID       uint64          `json:"id"`
	Result   json.RawMessage `json:"result,omitempty"`
	Part     []byte          `json:"part,omitempty"` // of the gzip'd result
	More     bool            `json:"more,omitempty"`
	Progress *progress       `json:"progress,omitempty"`
	Error    *failure        `json:"error,omitempty"`
}

type progress struct {
	Share float64 `json:"share"`
	What  string  `json:"what"`
}

// failure is an error as it crosses the line.
type failure struct {
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// FarError is what the far end answered instead of a result.
type FarError struct {
	failure
}

func (e *FarError) Error() string { return "the far host: " + e.Message }

// Hint is the next step; empty where it gave none.
func (e *FarError) Hint() string { return e.failure.Hint }

// ErrLine means that the other end sent what is not of this protocol.
var ErrLine = errors.New("it does not speak unchoke's session protocol")

// lines reads lines of a bounded length.
type lines struct {
	scanner *bufio.Scanner
}

func newLines(r io.Reader) *lines {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 64<<10), MaxLine)
	return &lines{s}
}

// next returns a line that holds until the next one; io.EOF at the end.
func (l *lines) next() ([]byte, error) {
	for l.scanner.Scan() {
		if line := bytes.TrimSpace(l.scanner.Bytes()); len(line) > 0 {
			return line, nil
		}
	}
	err := l.scanner.Err()
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("%w: a line of more than %d MiB", ErrLine, MaxLine>>20)
	case err != nil:
		return nil, err
	}
	return nil, io.EOF
}

// decode reads a line strictly enough: one document, nothing after it.
func decode(line []byte, into any) error {
	if err := json.Unmarshal(line, into); err != nil {
		return fmt.Errorf("%w: %w", ErrLine, err)
	}
	return nil
}

// out writes documents, one a line.
type out struct {
	mu sync.Mutex
	w  io.Writer
}

func (o *out) send(doc any) error {
	b, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	if len(b) >= MaxLine {
		return fmt.Errorf("a line of %d bytes is too long", len(b))
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	_, err = o.w.Write(append(b, '\n'))
	return err
}

// answer sends a result, in packed parts where it is long.
func (o *out) answer(id uint64, result any) error {
	b, err := json.Marshal(result)
	if err != nil {
		return err
	}
	if len(b) < packFrom {
		return o.send(reply{ID: id, Result: b})
	}
	if len(b) > maxAnswer {
		return fmt.Errorf("an answer of %d MiB is too long", len(b)>>20)
	}
	var packed bytes.Buffer
	if err := pack.Gzip(&packed, nil, b); err != nil {
		return err
	}
	for packed.Len() > 0 {
		part := packed.Next(partSize)
		if err := o.send(reply{ID: id, Part: part, More: packed.Len() > 0}); err != nil {
			return err
		}
	}
	return nil
}

// unpack reads what answer packed.
func unpack(packed []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLine, err)
	}
	b, err := io.ReadAll(io.LimitReader(z, maxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLine, err)
	}
	if len(b) > maxAnswer {
		return nil, fmt.Errorf("%w: an answer of more than %d MiB", ErrLine, maxAnswer>>20)
	}
	return b, nil
}
