// Package state keeps what unchoke remembers between two runs: the records of
// checks and comparisons, in the user's own directory.
package state

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"unchoke/internal/record"
)

// Keep is how many records a store holds: Save removes the oldest beyond it, and
// never what it has just written.
const Keep = 200

// suffix of a record's file. Packed, a run is less than a tenth of its JSON,
// most of which is TCP_INFO that hardly changes from sample to sample: 6 MB for
// 18 streams of 5 s.
const suffix = ".json.gz"

// ErrNotFound means that a store has no such record.
var ErrNotFound = errors.New("no such record")

// Store is a directory of records, one file each, named by their IDs. The files
// are for their owner's eyes only: they tell of hosts and addresses.
type Store struct{ Dir string }

// Save writes the record under its ID. Where it has none it gets one of now: when it
// began may be by the clock of another host. The file appears whole or not at all;
// then the record has no ID that it did not have.
func (s Store) Save(d record.Document) error {
	id := d.Identity()
	before := *id
	if *id == "" {
		*id = NewID(time.Now())
	}
	if !record.ValidID(*id) {
		return fmt.Errorf("save record: %q is not an ID", *id)
	}
	err := Replace(s.path(*id), func(w io.Writer) error { return record.Write(w, d) })
	if err != nil {
		err = fmt.Errorf("save record %s: %w", *id, err)
		*id = before // no report names a record that is not there
		return err
	}
	return s.prune(*id)
}

// prune removes the oldest records beyond Keep, but for the one just saved: this
// host's clock may be set back.
func (s Store) prune(saved string) error {
	ids, err := s.IDs()
	if err != nil {
		return err
	}
	for _, id := range ids[min(Keep, len(ids)):] {
		if id == saved {
			continue
		}
		if err := os.Remove(s.path(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove old record %s: %w", id, err)
		}
	}
	return nil
}

func (s Store) path(id string) string { return filepath.Join(s.Dir, id+suffix) }

// IDs lists the records, the newest first. A store that was never written to
// is empty.
func (s Store) IDs() ([]string, error) {
	dir, err := os.Open(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list records: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list records: %w", err)
	}
	var ids []string
	for _, name := range names {
		if id, ok := strings.CutSuffix(name, suffix); ok && record.ValidID(id) {
			ids = append(ids, id)
		}
	}
	sort.SliceStable(ids, func(i, j int) bool { return ids[i] > ids[j] })
	return ids, nil
}

// Load reads one record.
func (s Store) Load(id string) (record.Document, error) {
	if !record.ValidID(id) {
		return nil, fmt.Errorf("%w: %q is not an ID", ErrNotFound, id)
	}
	d, err := ReadFile(s.path(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	return d, err
}
