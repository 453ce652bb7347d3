package record

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	// schemaName is Schema without its version.
	schemaName = "unchoke.record"
	version    = 1
	// maxSize bounds what is read: a run of a minute with many streams is some
	// 20 MB, and a small file can unpack to anything.
	maxSize = 256 << 20
)

// upgrades turn a document of one version, their index, into one of the next.
// They work on the JSON, so that an old version's types need not live on.
var upgrades = map[int]func([]byte) ([]byte, error){}

// ErrNewer means that a record was written by a later unchoke than this.
var ErrNewer = errors.New("the record is of a newer version")

// Read reads a record of this version or an older one, as JSON or as gzip'd
// JSON. Unknown members are ignored: a later unchoke may add some without
// changing the version.
func Read(r io.Reader) (*Run, error) {
	run, err := read(r)
	if err != nil {
		return nil, fmt.Errorf("read record: %w", err)
	}
	return run, nil
}

func read(r io.Reader) (*Run, error) {
	b, err := readAll(r)
	if err != nil {
		return nil, plain(err)
	}
	if b, err = upgrade(b, version, upgrades); err != nil {
		return nil, err
	}
	var run Run
	if err := json.Unmarshal(b, &run); err != nil {
		return nil, plain(err)
	}
	run.Schema = Schema
	return &run, nil
}

// readAll unpacks what is packed.
func readAll(r io.Reader) ([]byte, error) {
	r, err := unpack(r)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	if len(b) > maxSize {
		return nil, fmt.Errorf("larger than %d MiB", maxSize>>20)
	}
	return b, err
}

func unpack(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(r)
	magic, err := buffered.Peek(2)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if !bytes.Equal(magic, []byte{0x1f, 0x8b}) { // RFC 1952 §2.3.1
		return buffered, nil
	}
	return gzip.NewReader(buffered)
}

// upgrade brings a document to the version to, step by step.
func upgrade(b []byte, to int, steps map[int]func([]byte) ([]byte, error)) ([]byte, error) {
	from, err := versionOf(b)
	if err != nil {
		return nil, err
	}
	if from > to {
		return nil, fmt.Errorf("%w: %s/%d, this unchoke reads up to %d", ErrNewer, schemaName, from, to)
	}
	for v := from; v < to; v++ {
		step, ok := steps[v]
		if !ok {
			return nil, fmt.Errorf("no way from version %d to %d", v, v+1)
		}
		if b, err = step(b); err != nil {
			return nil, fmt.Errorf("upgrade from version %d: %w", v, err)
		}
	}
	return b, nil
}

func versionOf(b []byte) (int, error) {
	if len(bytes.TrimSpace(b)) == 0 {
		return 0, errors.New("the file is empty")
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return 0, plain(err)
	}
	name, number, _ := strings.Cut(head.Schema, "/")
	v, err := strconv.Atoi(number)
	if name != schemaName || err != nil || v < 1 {
		return 0, fmt.Errorf("not a record: its schema is %q, not %q", head.Schema, Schema)
	}
	return v, nil
}

// plain says in plain words what a decoder found.
func plain(err error) error {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("the file is cut short")
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return fmt.Errorf("the file is damaged (%w)", err)
	case errors.As(err, &syntax) && strings.HasPrefix(syntax.Error(), "unexpected end"):
		return errors.New("the file is cut short")
	case errors.As(err, &syntax), errors.As(err, &typ):
		return fmt.Errorf("not a record: %w", err)
	}
	return err
}
