package record

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Keep is how many records a store holds: Save removes the oldest beyond it.
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

// DefaultStore is the user's own: records in $UNCHOKE_STATE_DIR, else in
// unchoke under $XDG_STATE_HOME, which is ~/.local/state where not set
// (%LocalAppData% on Windows).
func DefaultStore() (Store, error) {
	dir, err := stateDir()
	if err != nil {
		return Store{}, fmt.Errorf("find a place for records: %w", err)
	}
	return Store{filepath.Join(dir, "records")}, nil
}

func stateDir() (string, error) {
	if dir := os.Getenv("UNCHOKE_STATE_DIR"); dir != "" {
		return dir, nil
	}
	// The XDG base directory specification has relative paths ignored.
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "unchoke"), nil
	}
	if runtime.GOOS == "windows" {
		dir, err := os.UserCacheDir()
		return filepath.Join(dir, "unchoke"), err
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "state", "unchoke"), err
}

// Save writes the record under its ID, which it gets where it has none. The
// file appears whole or not at all.
func (s Store) Save(d Document) error {
	_, id, started := d.head()
	if *id == "" {
		*id = NewID(started)
	}
	if !ValidID(*id) {
		return fmt.Errorf("save record: %q is no ID", *id)
	}
	if err := s.write(*id, d); err != nil {
		return fmt.Errorf("save record %s: %w", *id, err)
	}
	return s.prune()
}

func (s Store) write(id string, d Document) error {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(s.Dir, ".new-*") // with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // of no effect once it has its own name
	defer f.Close()
	if err := Write(f, d); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), s.path(id))
}

// Write writes a record, under the schema it has, as gzip'd JSON.
func Write(w io.Writer, d Document) error {
	packed := gzip.NewWriter(w)
	if err := json.NewEncoder(packed).Encode(d); err != nil {
		return err
	}
	return packed.Close()
}

// prune removes the oldest records beyond Keep.
func (s Store) prune() error {
	ids, err := s.IDs()
	if err != nil {
		return err
	}
	for _, id := range ids[min(Keep, len(ids)):] {
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
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list records: %w", err)
	}
	var ids []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), suffix); ok && ValidID(id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	slices.Reverse(ids)
	return ids, nil
}

// Load reads one record.
func (s Store) Load(id string) (Document, error) {
	if !ValidID(id) {
		return nil, fmt.Errorf("%w: %q is no ID", ErrNotFound, id)
	}
	d, err := ReadDocumentFile(s.path(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	return d, err
}

// Summary is what a list shows of a record.
type Summary struct {
	ID      string    `json:"id"`
	Command string    `json:"command"` // that saved it: check, ab
	Started time.Time `json:"started"`
	Version string    `json:"version"`
	Target  string    `json:"target"`
	Size    int64     `json:"size_bytes"` // of the file
	// Error is why the record cannot be read; the other members may be empty
	// then.
	Error string `json:"error,omitempty"`
}

// List summarizes the records, the newest first. It reads only the head of
// each, since the whole is hundreds of times as long.
func (s Store) List() ([]Summary, error) {
	ids, err := s.IDs()
	if err != nil {
		return nil, err
	}
	list := []Summary{}
	for _, id := range ids {
		sum, err := s.summarize(id)
		if errors.Is(err, fs.ErrNotExist) {
			continue // pruned meanwhile
		}
		if err != nil {
			sum.Error = err.Error()
		}
		sum.ID = id
		list = append(list, sum)
	}
	return list, nil
}

func (s Store) summarize(id string) (Summary, error) {
	f, err := os.Open(s.path(id))
	if err != nil {
		return Summary{}, err
	}
	defer f.Close()
	var sum Summary
	if info, err := f.Stat(); err == nil {
		sum.Size = info.Size()
	}
	return sum, plain(readHead(f, &sum))
}

// readHead reads the members that come first in a record.
func readHead(r io.Reader, sum *Summary) error {
	r, err := unpack(r)
	if err != nil {
		return err
	}
	d := json.NewDecoder(r)
	if t, err := d.Token(); err != nil {
		return err
	} else if t != json.Delim('{') {
		return errors.New("not a record")
	}
	var schema string
	want := map[string]any{"schema": &schema, "started": &sum.Started, "version": &sum.Version, "target": &sum.Target}
	for len(want) > 0 && d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		to, ok := want[key.(string)]
		if !ok {
			to = new(json.RawMessage)
		}
		if err := d.Decode(to); err != nil {
			return err
		}
		delete(want, key.(string))
	}
	if len(want) > 0 { // the document ended; was that its end?
		_, err := d.Token()
		return err
	}
	for _, k := range kinds {
		if strings.HasPrefix(schema, k.name+"/") {
			sum.Command = k.command
		}
	}
	return nil
}
