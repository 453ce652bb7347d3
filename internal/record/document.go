package record

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Document is a record of either kind: a *Run or a *Comparison.
type Document interface {
	// Head is what a list shows of the document.
	Head() Head
	// Identity points to the document's ID, empty until it is saved.
	Identity() *string
	schema() *string
}

// Head is what comes first in a document.
type Head struct {
	Command string // that makes documents of this kind: check, ab
	Started time.Time
	Version string // of unchoke
	Target  string
}

func (r *Run) Head() Head { return Head{runs.command, r.Started, r.Version, r.Target} }

func (c *Comparison) Head() Head { return Head{comparisons.command, c.Started, c.Version, c.Target} }

func (r *Run) Identity() *string { return &r.ID }

func (c *Comparison) Identity() *string { return &c.ID }

func (r *Run) schema() *string { return &r.Schema }

func (c *Comparison) schema() *string { return &c.Schema }

// New is an empty record of a run that began at a time.
func New(target, version string, started time.Time) *Run {
	return &Run{Schema: Schema, Started: started, Version: version, Target: target}
}

// NewComparison is an empty record of a comparison that began at a time.
func NewComparison(target, version string, started time.Time) *Comparison {
	return &Comparison{Schema: ComparisonSchema, Started: started, Version: version, Target: target}
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
func ReadDocument(r io.Reader) (Document, error) { return read(r, kinds...) }

// Read is ReadDocument for the record of a check.
func Read(r io.Reader) (*Run, error) {
	d, err := read(r, runs)
	if err != nil {
		return nil, err
	}
	return d.(*Run), nil
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
	*d.schema() = k.schema()
	return d, nil
}
