package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Take copies the runs and series of a shard.
func (st *Store) Take(dir string) error {
	name := filepath.Join(dir, RunsName)
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("read results: %w", err)
	}
	defer f.Close()
	first, err := line(header(st.grid.Axes))
	if err != nil {
		return err
	}
	in := bufio.NewReader(f)
	for n := 1; ; n++ {
		l, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil // a line that is not whole is none
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		if n == 1 {
			if !bytes.Equal(l, first) {
				return fmt.Errorf("%w: the first line of %s is another header", ErrOther, name)
			}
			continue
		}
		if err := st.takeRun(dir, l); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
}

func (st *Store) takeRun(dir string, l []byte) error {
	id, _, err := st.identify(l)
	if err != nil {
		return err
	}
	if e := st.entries[st.ordinal(id)]; e.length > 0 {
		return st.same(id, e, l)
	}
	file := filepath.Join(SeriesName, seriesFile(id.Cell, id.Repetition))
	switch data, err := os.ReadFile(filepath.Join(dir, file)); {
	case err == nil:
		if err := os.MkdirAll(st.path(SeriesName), 0o777); err != nil {
			return fmt.Errorf("make the directory of series: %w", err)
		}
		if err := st.put(file, func(f *os.File) error { _, err := f.Write(data); return err }); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("read series: %w", err)
	}
	return st.append(l)
}
