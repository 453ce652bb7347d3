package state

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"unchoke/internal/record"
)

// Summary is what a list shows of a record.
type Summary struct {
	ID      string    `json:"id"`
	Command string    `json:"command"` // that saved it: check, ab
	Started time.Time `json:"started"`
	Version string    `json:"version"`
	Target  string    `json:"target"`
	Size    int64     `json:"size_bytes"` // of the file
	// Error is why the record cannot be read; the other members are what its
	// head says, and may be empty.
	Error string `json:"error,omitempty"`
}

// List summarizes the records, the newest first. It reads only the head and the
// end of each, since the whole is hundreds of times as long.
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
	head, err := record.ReadHead(f)
	sum.Command, sum.Started, sum.Version, sum.Target = head.Command, head.Started, head.Version, head.Target
	if err != nil {
		return sum, err
	}
	return sum, record.Whole(f)
}
