package machine

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Input that cannot be passed on ends the run with an error: near must not take
// what came before for the whole.
func TestInputFails(t *testing.T) {
	_, in := pipe(t)
	out, _ := pipe(t)
	var stderr bytes.Buffer
	spec := Spec{Stdin: strings.NewReader("input"), Stderr: &stderr, StallTimeout: DefaultStallTimeout}
	u := newUser(spec, &place{dir: filepath.Join(t.TempDir(), "removed")}, in, out)
	defer close(u.over)
	u.listens()
	if _, err := u.run(context.Background(), nil); !errors.Is(err, fs.ErrNotExist) || stderr.Len() > 0 {
		t.Errorf("%v, and on standard error %q", err, stderr.String())
	}
}

// brokenInput fails after some input.
type brokenInput struct{ text *strings.Reader }

var errBroken = errors.New("broken")

func (b brokenInput) Read(p []byte) (int, error) {
	n, err := b.text.Read(p)
	if errors.Is(err, io.EOF) {
		err = errBroken
	}
	return n, err
}

// Input that cannot be read further ends the run with an error: it is no end of
// the input.
func TestInputBreaks(t *testing.T) {
	_, in := pipe(t)
	out, _ := pipe(t)
	dir := t.TempDir()
	u := newUser(Spec{Stdin: brokenInput{strings.NewReader("input")}, StallTimeout: DefaultStallTimeout}, &place{dir: dir}, in, out)
	if err := os.MkdirAll(filepath.Dir(u.place.share(chunkName(0))), 0o700); err != nil {
		t.Fatal(err)
	}
	defer close(u.over)
	u.listens()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := u.run(ctx, nil); !errors.Is(err, errBroken) {
		t.Errorf("%v, want %v", err, errBroken)
	}
}

// Input is not read for a machine that ended before it listened.
func TestInputUnread(t *testing.T) {
	input := strings.NewReader("for whoever comes next")
	u := newUser(Spec{Stdin: input}, &place{}, nil, nil)
	close(u.over)
	u.sendInput()
	if input.Len() != int(input.Size()) {
		t.Errorf("%d of %d bytes were read", int(input.Size())-input.Len(), input.Size())
	}
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Close()
		w.Close()
	})
	return r, w
}
