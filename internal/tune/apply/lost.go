package apply

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"unchoke/internal/tune"
	"unchoke/internal/tune/journal"
	"unchoke/internal/tune/outcome"
)

// LostError says that this program's files are on the host and that no journal
// tells what was there before.
type LostError struct{ Lost outcome.Lost }

func (e *LostError) Error() string {
	return fmt.Sprintf("%s: written by unchoke tune, and the journal does not tell of it: what was there before is not known", strings.Join(e.Lost.Files, ", "))
}

// Hint is the next step.
func (e *LostError) Hint() string {
	next := "another --state may have the journal; else remove what is named and reboot, or set its keys back by hand"
	if len(e.Lost.Backups) > 0 {
		next += "; older contents of files are in " + strings.Join(e.Lost.Backups, ", ")
	}
	return next
}

// lost finds this program's files of which no step in the journal tells, and the
// backups that may tell what was there before. It is nil where there is none.
func (t *Tuner) lost(s journal.State) (*outcome.Lost, error) {
	var files []string
	for _, name := range tune.OwnFiles {
		told := slices.ContainsFunc(s.Steps, func(step journal.Step) bool { return step.Kind == tune.File && step.Key == name })
		have, err := t.Host.Read(tune.File, name)
		if err != nil {
			return nil, err
		}
		v, err := tune.Decode[tune.FileValue](have)
		if err != nil {
			return nil, err
		}
		if !told && v != nil && v.Written(name) {
			files = append(files, name)
		}
	}
	if len(files) == 0 {
		return nil, nil
	}
	backups, err := t.filesBelow(filepath.Join(t.Dir, "backup"))
	return &outcome.Lost{Files: files, Backups: backups}, err
}

// filesBelow are the files in a directory and those in it; none where it is not
// there.
func (t *Tuner) filesBelow(dir string) ([]string, error) {
	names, err := t.Disk.List(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", dir, err)
	}
	var files []string
	for _, name := range names {
		name = filepath.Join(dir, name)
		f, err := t.Disk.Look(name)
		if err != nil {
			return nil, fmt.Errorf("look at %s: %w", name, err)
		}
		switch f.Type {
		case 0:
			files = append(files, name)
		case fs.ModeDir:
			below, err := t.filesBelow(name)
			if err != nil {
				return nil, err
			}
			files = append(files, below...)
		}
	}
	return files, nil
}
