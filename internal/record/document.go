package record

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"
)

// Document is what a store keeps: a *Run or a *Comparison.
type Document interface {
	// head points to the members by which the store knows a document.
	head() (schema, id *string, started time.Time)
}

func (r *Run) head() (schema, id *string, started time.Time) { return &r.Schema, &r.ID, r.Started }

func (c *Comparison) head() (schema, id *string, started time.Time) {
	return &c.Schema, &c.ID, c.Started
}

// NewComparison is an empty record of a comparison that begins now. It gets
// its ID when it is saved.
func NewComparison(target, version string) *Comparison {
	return &Comparison{Schema: ComparisonSchema, Started: time.Now(), Version: version, Target: target}
}

// kind is one of the kinds of documents, with its version and its past.
type kind struct {
	command string // that saves it
	name    string // the schema without its version
	version int
	// upgrades turn a document of one version, their index, into one of the
	// next. They work on the JSON, so that an old version's types need not live
	// on.
	upgrades map[int]func([]byte) ([]byte, error)
	empty    func() Document
}

var (
	runs        = kind{command: "check", name: "unchoke.record", version: 1, empty: func() Document { return new(Run) }}
	comparisons = kind{command: "ab", name: "unchoke.comparison", version: 1, empty: func() Document { return new(Comparison) }}
)

var kinds = []kind{runs, comparisons}

func (k kind) schema() string { return fmt.Sprintf("%s/%d", k.name, k.version) }

// ReadDocument reads a record of any kind, of this version or an older one, as
// JSON or as gzip'd JSON. Unknown members are ignored: a later unchoke may add
// some without changing the version.
func ReadDocument(r io.Reader) (Document, error) {
	d, err := read(r, kinds...)
	if err != nil {
		return nil, fmt.Errorf("read record: %w", err)
	}
	return d, nil
}

// Read is ReadDocument for the record of a check.
func Read(r io.Reader) (*Run, error) {
	d, err := read(r, runs)
	if err != nil {
		return nil, fmt.Errorf("read record: %w", err)
	}
	return d.(*Run), nil
}

// ReadFile reads the record of a check in a file.
func ReadFile(name string) (*Run, error) {
	d, err := readFile(name, runs)
	if err != nil {
		return nil, err
	}
	return d.(*Run), nil
}

// ReadDocumentFile reads the record in a file, of any kind.
func ReadDocumentFile(name string) (Document, error) { return readFile(name, kinds...) }

func readFile(name string, allowed ...kind) (Document, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read record: %w", err)
	}
	defer f.Close()
	d, err := read(f, allowed...)
	if err != nil {
		return nil, fmt.Errorf("read record from %s: %w", name, err)
	}
	return d, nil
}

func read(r io.Reader, allowed ...kind) (Document, error) {
	b, err := readAll(r)
	if err != nil {
		return nil, plain(err)
	}
	k, from, err := kindOf(b, allowed)
	if err != nil {
		return nil, err
	}
	if b, err = k.upgrade(b, from); err != nil {
		return nil, err
	}
	d := k.empty()
	if err := json.Unmarshal(b, d); err != nil {
		return nil, plain(err)
	}
	schema, _, _ := d.head()
	*schema = k.schema()
	return d, nil
}
