package state

import (
	"fmt"
	"io"
	"os"

	"unchoke/internal/record"
)

// ReadFile reads the record in a file, of any kind.
func ReadFile(name string) (record.Document, error) { return readFile(name, record.ReadDocument) }

// ReadRun reads the record of a check in a file.
func ReadRun(name string) (*record.Run, error) { return readFile(name, record.Read) }

func readFile[D any](name string, read func(io.Reader) (D, error)) (d D, err error) {
	f, err := os.Open(name)
	if err != nil {
		return d, fmt.Errorf("read record: %w", err)
	}
	defer f.Close()
	if d, err = read(f); err != nil {
		return d, fmt.Errorf("read record from %s: %w", name, err)
	}
	return d, nil
}
