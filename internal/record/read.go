package record

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxSize bounds what is read: a run of a minute with many streams is some
// 20 MB, and a small file can unpack to anything.
const maxSize = 256 << 20

// ErrDamaged means that a record's file is not what was written.
var ErrDamaged = errors.New("the file is damaged")

// short is an ErrDamaged: the file ends too early.
type short struct{}

func (short) Error() string        { return "the file is cut short" }
func (short) Is(target error) bool { return target == ErrDamaged }

var errShort error = short{}

// ErrNewer means that a record was written by a later unchoke than this.
var ErrNewer = errors.New("the record is of a newer version")

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

// upgrade brings a document of the version from to this one, step by step.
func (k kind) upgrade(b []byte, from int) ([]byte, error) {
	if from > k.version {
		return nil, fmt.Errorf("%w: %s/%d, this unchoke reads up to %d", ErrNewer, k.name, from, k.version)
	}
	for v := from; v < k.version; v++ {
		step, ok := k.upgrades[v]
		if !ok {
			return nil, fmt.Errorf("no way from version %d to %d", v, v+1)
		}
		var err error
		if b, err = step(b); err != nil {
			return nil, fmt.Errorf("upgrade from version %d: %w", v, err)
		}
	}
	return b, nil
}

// kindOf tells by a document's schema which of the kinds it is of, and its
// version.
func kindOf(b []byte, allowed []kind) (kind, int, error) {
	if len(bytes.TrimSpace(b)) == 0 {
		return kind{}, 0, errors.New("the file is empty")
	}
	schema, err := schemaOf(b)
	if err != nil {
		return kind{}, 0, plain(err)
	}
	name, number, _ := strings.Cut(schema, "/")
	v, err := strconv.Atoi(number)
	for _, k := range allowed {
		if k.name == name && err == nil && v > 0 {
			return k, v, nil
		}
	}
	return kind{}, 0, another(b, schema, allowed[0].schema())
}

// schemaOf is a document's schema. It stands first in what unchoke writes, and the rest,
// which may be megabytes, is not looked at then.
func schemaOf(b []byte) (string, error) {
	rest, first := b, true
	for _, mark := range []string{"{", `"schema"`, ":", `"`} {
		var ok bool
		rest, ok = bytes.CutPrefix(bytes.TrimSpace(rest), []byte(mark))
		first = first && ok
	}
	if schema, _, ended := bytes.Cut(rest, []byte(`"`)); first && ended {
		return string(schema), nil
	}
	var head struct {
		Schema string `json:"schema"`
	}
	err := json.Unmarshal(b, &head)
	return head.Schema, err
}

// plain says in plain words what a decoder found.
func plain(err error) error {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errShort
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.As(err, new(flate.CorruptInputError)):
		return fmt.Errorf("%w (%w)", ErrDamaged, err)
	case errors.As(err, &syntax) && strings.HasPrefix(syntax.Error(), "unexpected end"):
		return errShort
	case errors.As(err, &syntax), errors.As(err, &typ):
		return fmt.Errorf("not a record: %w", err)
	}
	return err
}
