package watching

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"unchoke/internal/app/request"
	"unchoke/internal/live"
	"unchoke/internal/live/tape"
)

// recorder writes what a source gives to a file, on the way to whoever asks.
type recorder struct {
	live.Source
	file *os.File
	tape *tape.Writer
}

// startRecorder begins a recording. A file that is there is not overwritten.
func startRecorder(src live.Source, name string, info tape.Info) (*recorder, error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		if at, e := os.Stat(name); e == nil && !at.Mode().IsRegular() { // a device, a pipe
			file, err = os.OpenFile(name, os.O_WRONLY, 0)
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return nil, request.Refuse("name another file, or remove it", "record to %s: it is there already", name)
	}
	if err != nil {
		return nil, &request.Error{Err: fmt.Errorf("record: %w", err)}
	}
	r := &recorder{Source: src, file: file}
	if r.tape, err = tape.NewWriter(file, info); err != nil {
		return nil, errors.Join(fmt.Errorf("record to %s: %w", name, err), file.Close())
	}
	return r, nil
}

func (r *recorder) Next(ctx context.Context) (*live.Snapshot, error) {
	s, err := r.Source.Next(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.tape.Write(s); err != nil {
		return nil, fmt.Errorf("record to %s: %w", r.file.Name(), err)
	}
	return s, nil
}

// close ends the recording.
func (r *recorder) close() error {
	err := errors.Join(r.tape.Close(), r.file.Close())
	if err != nil {
		return fmt.Errorf("end the recording %s: %w", r.file.Name(), err)
	}
	return nil
}
