package journal

import (
	"fmt"
	"io/fs"
	"path/filepath"

	"unchoke/internal/tune/disk"
	"unchoke/internal/tune/ledger"
)

// Names in the journal's directory.
const (
	current  = "journal.jsonl"
	previous = "previous.jsonl" // the one before, of which nothing stands any more
)

// Live is the file beside it that package tune/live keeps.
const Live = "live.jsonl"

// dirMode keeps old files' contents from other users.
const dirMode fs.FileMode = 0o700

// Journal is the file, opened by whoever holds the lock.
type Journal struct {
	disk  disk.Disk
	dir   string
	file  *ledger.Ledger
	state State

	forgoes bool  // events count here that the file could not take
	lost    error // why it took none since
}

// Open reads the journal in a directory. None is one in which nothing stands.
func Open(d disk.Disk, dir string) (*Journal, error) {
	if err := trusted(d, dir); err != nil {
		return nil, err
	}
	j := &Journal{disk: d, dir: dir, state: State{Phase: Idle}}
	var err error
	j.file, err = ledger.Open(d, filepath.Join(dir, current), j.state.take)
	return j, err
}

// take is the state after an event.
func (s *State) take(e Event) (err error) {
	*s, err = s.after(e)
	return err
}

// State is what the events so far add up to.
func (j *Journal) State() State { return j.state }

// Forgo has events count for this run although the file cannot take them. From the
// first of those on the file stays as it is, which the next run goes by.
func (j *Journal) Forgo() { j.forgoes = true }

// Lost is why the file takes no more events; nil where it does.
func (j *Journal) Lost() error { return j.lost }

// Write adds an event and returns when it will be there after a crash.
func (j *Journal) Write(e Event) error {
	next, err := j.state.after(e)
	if err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	if e.Kind == Began && j.state.Phase == Idle {
		if err := j.begin(); err != nil {
			return fmt.Errorf("write the journal: %w", err)
		}
	}
	if j.lost == nil {
		err := j.file.Write(e)
		if err != nil && !j.forgoes {
			return err
		}
		j.lost = err
	}
	j.state = next
	return nil
}

// begin makes room for a new file: nothing stands of the old one.
func (j *Journal) begin() error {
	if err := disk.MkdirAll(j.disk, j.dir, dirMode); err != nil {
		return err
	}
	return j.file.SetAside(filepath.Join(j.dir, previous))
}
