package sweep

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

// Merge puts the results of shards of one sweep together in a directory, as if
// one host had made them all: its runs.csv has the same bytes. Runs that are
// in several of the shards must be the same. The directory may hold what an
// earlier merge of the sweep put there. Where shards are missing or incomplete
// the result is incomplete too, and Run goes on from it.
func Merge(dirs []string, out string) (Summary, error) {
	if len(dirs) == 0 {
		return Summary{}, errors.New("nothing to merge")
	}
	var s Summary
	var f File
	for i, dir := range dirs {
		one, err := SummaryOf(dir)
		if err != nil {
			return s, err
		}
		if i == 0 {
			s = one
			if f, err = Parse(filepath.Join(dir, sweepName), []byte(s.Sweep)); err != nil {
				return s, err
			}
			continue
		}
		if err := s.join(one, dirs[0], dir); err != nil {
			return s, err
		}
	}
	grid, err := f.Grid()
	if err != nil {
		return s, err
	}
	s.Shard = ""
	lots := plan(grid.Cells, f.UntilCI)
	s.PlannedRuns = planned(lots, grid.Cells)
	virtual, wall := s.VirtualS, s.WallS
	st, s, err := openStore(out, grid, s)
	if err != nil {
		return s, err
	}
	s.VirtualS, s.WallS = virtual, wall // of the shards, whatever was there
	defer st.close()
	for _, dir := range dirs {
		if err := st.take(dir); err != nil {
			return s, err
		}
	}
	if err := errors.Join(st.sync(), st.sort()); err != nil {
		return s, err
	}
	s.Complete = true
	for _, l := range lots {
		s.Complete = s.Complete && l.next(grid.Cells, f.UntilCI, st.of) == nil
	}
	s = st.summary(s)
	return s, st.writeSummary(s)
}

// SummaryOf reads a directory's summary, with the sweep file itself. The error is
// ErrNoResults where it has none.
func SummaryOf(dir string) (Summary, error) {
	data, err := os.ReadFile(filepath.Join(dir, summaryName))
	if errors.Is(err, fs.ErrNotExist) {
		return Summary{}, fmt.Errorf("%s: %w", dir, ErrNoResults)
	}
	if err != nil {
		return Summary{}, fmt.Errorf("read results: %w", err)
	}
	s, err := readSummary(data)
	if err != nil {
		return s, fmt.Errorf("%s: %w", dir, err)
	}
	return s, nil
}

// join adds another shard to the summary.
func (s *Summary) join(other Summary, first, dir string) error {
	for _, c := range []struct{ what, a, b string }{
		{"sweep", s.Sweep, other.Sweep},
		{"kernel", s.Kernel.Key, other.Kernel.Key},
		{"version of unchoke", s.Version, other.Version},
	} {
		if c.a != c.b {
			return fmt.Errorf("%w: %s and %s are not of the same %s", ErrOther, first, dir, c.what)
		}
	}
	s.VirtualS += other.VirtualS
	s.WallS += other.WallS
	s.Jobs = max(s.Jobs, other.Jobs)
	return nil
}

// take copies the runs and series of a shard.
func (st *store) take(dir string) error {
	name := filepath.Join(dir, runsName)
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

func (st *store) takeRun(dir string, l []byte) error {
	id, _, err := st.identify(l)
	if err != nil {
		return err
	}
	if e := st.entries[st.ordinal(id)]; e.length > 0 {
		return st.same(id, e, l)
	}
	file := filepath.Join(seriesName, seriesFile(id.cell, id.repetition))
	switch data, err := os.ReadFile(filepath.Join(dir, file)); {
	case err == nil:
		if err := os.MkdirAll(st.path(seriesName), 0o777); err != nil {
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
