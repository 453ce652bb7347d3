package rollout

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"unchoke/internal/app"
	"unchoke/internal/app/request"
	"unchoke/internal/fleet"
	"unchoke/internal/fleet/inventory"
	"unchoke/internal/hint"
	"unchoke/internal/state"
	"unchoke/internal/tune/journal"
)

// maxRollout bounds a rollout's file in bytes: a host takes some 20 KB.
const maxRollout = 256 << 20

// File is where a rollout is kept.
type File struct{ Name string }

// rolloutDir is beside the records.
func rolloutDir() (string, error) {
	store, err := state.DefaultStore()
	if err != nil {
		return "", err
	}
	return filepath.Join(filepath.Dir(store.Dir), "rollouts"), nil
}

// NewFile is a file for a rollout of that ID, which Save makes.
func NewFile(id string) (File, error) {
	dir, err := rolloutDir()
	return File{filepath.Join(dir, id+".json")}, err
}

// Find is the file of the rollout that the user named: the newest, one of
// an ID, or a file.
func Find(name string) (File, error) {
	dir, err := rolloutDir()
	if err != nil {
		return File{}, err
	}
	if name != "" && name != app.LastRecord {
		for _, file := range []string{filepath.Join(dir, filepath.Base(name)+".json"), name} {
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
				return File{file}, nil
			}
		}
		return File{}, request.Refuse("those that are kept are in "+dir, "%q is neither a rollout's ID nor a file", name)
	}
	ids, err := IDs()
	if err == nil && len(ids) == 0 {
		err = request.Refuse("unchoke fleet apply begins one", "there is no rollout yet")
	}
	if err != nil {
		return File{}, err
	}
	return File{filepath.Join(dir, ids[0]+".json")}, nil
}

// IDs are the IDs of those that are kept, the newest first.
func IDs() ([]string, error) {
	dir, err := rolloutDir()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list rollouts: %w", err)
	}
	var ids []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".json"); ok && !strings.HasPrefix(id, ".") {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids) // IDs begin with the time
	slices.Reverse(ids)
	return ids, nil
}

// Load reads the rollout.
func (f File) Load() (*fleet.Rollout, error) {
	file, err := os.Open(f.Name)
	if err != nil {
		return nil, fmt.Errorf("read the rollout: %w", err)
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, maxRollout+1))
	if err != nil {
		return nil, fmt.Errorf("read the rollout %s: %w", f.Name, err)
	}
	r, err := parseRollout(b)
	if err != nil {
		return nil, hint.With(fmt.Errorf("read the rollout %s: %w", f.Name, err), "the hosts' own journals tell what was done: unchoke fleet status --hosts FILE")
	}
	return r, nil
}

func parseRollout(b []byte) (*fleet.Rollout, error) {
	if len(b) > maxRollout {
		return nil, fmt.Errorf("it is longer than %d MiB", maxRollout>>20)
	}
	var r fleet.Rollout
	if err := json.NewDecoder(bytes.NewReader(b)).Decode(&r); err != nil {
		return nil, fmt.Errorf("it is no rollout: %w", err)
	}
	return &r, r.Check()
}

// Save writes the rollout: the file is the old one or the new one, whole.
func (f File) Save(r *fleet.Rollout) error {
	err := state.Replace(f.Name, func(w io.Writer) error { return json.NewEncoder(w).Encode(r) })
	if err != nil {
		return fmt.Errorf("write the rollout %s: %w", f.Name, err)
	}
	return nil
}

// Lock keeps every other rollout of this user's away until unlock, or until this
// process ends, however it does: measurements of two would share this host.
func (f File) Lock() (unlock func(), err error) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // it does not wait
	unlock, err = journal.Lock(ctx, filepath.Dir(f.Name))
	if errors.Is(err, journal.ErrBusy) {
		err = hint.With(errors.New("another rollout is under way from here"), "wait for it, or end it: then unchoke fleet apply --resume")
	}
	return unlock, err
}

// Newest is the newest one that has any of the hosts; nil where there is
// none.
func Newest(hosts []inventory.Host) *fleet.Rollout {
	ids, err := IDs()
	if err != nil {
		return nil
	}
	const most = 20 // that are read
	for _, id := range ids[:min(len(ids), most)] {
		f, err := Find(id)
		if err != nil {
			continue
		}
		r, err := f.Load()
		if err != nil {
			continue
		}
		for _, e := range r.Entries {
			if slices.ContainsFunc(hosts, func(h inventory.Host) bool { return h.Name == e.Host }) {
				return r
			}
		}
	}
	return nil
}
