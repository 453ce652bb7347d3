package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"unchoke/internal/app/request"
	"unchoke/internal/hint"
	"unchoke/internal/record"
	"unchoke/internal/state"
)

// LastRecord names the newest record.
const LastRecord = "last"

// Load reads the record that the user named: the newest, one of the
// store's, or a file.
func Load(name string) (record.Document, error) {
	d, err := findRecord(name)
	switch {
	case errors.Is(err, state.ErrNotFound):
		return nil, hint.With(err, "unchoke record list")
	case errors.Is(err, record.ErrNewer):
		return nil, hint.With(err, "update unchoke")
	case errors.Is(err, record.ErrDamaged):
		return nil, hint.With(err, "remove the file, or name another record: unchoke record list")
	}
	return d, err
}

func findRecord(name string) (record.Document, error) {
	if name != LastRecord && !record.ValidID(name) {
		if _, err := os.Stat(name); errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%w: %q is neither an ID nor a file", state.ErrNotFound, name)
		}
		return state.ReadFile(name)
	}
	store, err := state.DefaultStore()
	if err != nil {
		return nil, err
	}
	if name != LastRecord {
		return store.Load(name)
	}
	ids, err := store.IDs()
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, hint.With(errors.New("no records yet"), "unchoke check TARGET saves one")
	}
	return store.Load(ids[0])
}

// CheckFor is the record of the path that the user named: by a record, or by a
// target, whose newest check it is. Without a name it is the newest check of
// all, and nil where there is none. Under sudo it is the invoking user's, and
// root's own where they have none.
func CheckFor(name string) (*record.Run, error) {
	i, err := sudoInvoker(os.Geteuid(), os.Getenv)
	if err != nil {
		return nil, err
	}
	if i != nil {
		if run, err := i.check(absolute(name)); run != nil || err != nil {
			return run, err
		}
	}
	if isRecord(name) {
		return LoadRun(name)
	}
	if _, err := state.DefaultStore(); err != nil && name == "" {
		return nil, nil
	}
	return NewestCheck(name)
}

// Store is this user's store of records.
func Store() (state.Store, error) {
	store, err := state.DefaultStore()
	if err != nil {
		return store, hint.With(err, "set UNCHOKE_STATE_DIR to a directory")
	}
	return store, nil
}

// List is what this user's store has, the newest first.
func List() ([]state.Summary, error) {
	store, err := Store()
	if err != nil {
		return nil, err
	}
	return store.List()
}

// NewestCheck is that of a target, or of all; nil where no target is named and
// there is none.
func NewestCheck(name string) (*record.Run, error) {
	list, err := List()
	if err != nil {
		return nil, err
	}
	name = recordedAs(name)
	if r, found := NewestOf(list, name); found {
		return LoadRun(r.ID)
	}
	if name == "" {
		return nil, nil
	}
	return nil, hint.With(fmt.Errorf("%w: no check of %s is saved", state.ErrNotFound, name), "unchoke check "+name)
}

// NewestOf is the first check of a target, or of all, in a list that has the
// newest first.
func NewestOf(list []state.Summary, target string) (state.Summary, bool) {
	for _, r := range list {
		if r.Command == "check" && (target == "" || r.Target == target || request.KindOf(target) == request.ServerTarget && request.Host(r.Target) == request.Host(target)) {
			return r, true
		}
	}
	return state.Summary{}, false
}

// isRecord says that a name is a record's and not a target's. A directory may
// have the name of a host.
func isRecord(name string) bool {
	if name == LastRecord || record.ValidID(name) {
		return true
	}
	info, err := os.Stat(name)
	return err == nil && !info.IsDir()
}

// absolute is the whole name of a record's file, and any other name as it is.
func absolute(name string) string {
	if !isRecord(name) || name == LastRecord || record.ValidID(name) {
		return name
	}
	if whole, err := filepath.Abs(name); err == nil {
		return whole
	}
	return name
}

// LoadRun is Load for the record of a check, the only kind that measures a
// path.
func LoadRun(name string) (*record.Run, error) {
	d, err := Load(name)
	return runOf(d, err)
}

func runOf(d record.Document, err error) (*record.Run, error) {
	if err != nil {
		return nil, err
	}
	run, ok := d.(*record.Run)
	if !ok {
		return nil, request.Refuse("unchoke record list names each record's command", "this record is not a check's")
	}
	return run, nil
}
