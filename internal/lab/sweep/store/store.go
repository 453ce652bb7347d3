// Package store keeps the results of a sweep in a directory that a process may
// leave at any moment, and reads them back.
package store

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"unchoke/internal/lab/sweep/grid"
	"unchoke/internal/lab/traffic"
	"unchoke/internal/state"
)

// A Store is a directory of results while it is written. In the order in which
// they come to be:
//
//	.lock         locked by the process that writes here
//	runs.csv      the header, then a line a run in the order in which they finish
//	summary.json  who runs what on which kernel, and how far it is
//	sweep.yaml    the file: with it the directory is a sweep's, and resumes
//	series/…      a run's samples, before its line in runs.csv
//	runs.csv      replaced, once it is complete, by one in order
//
// Every file but a line of runs.csv appears whole or not at all. A line is
// written at the end of what is known to be whole, and a store that is opened
// again cuts off what follows the last whole line: so a process that is killed
// at any moment leaves every run that it reported, once.
type Store struct {
	dir  string
	lock io.Closer
	grid grid.Grid
	base []int // of a cell: how many runs come before its own

	mu      sync.Mutex
	runs    *os.File
	size    int64 // of runs.csv's whole lines
	entries []entry
	done    int
}

// entry is where a run's line stands in runs.csv. A line of no bytes is none.
type entry struct {
	offset int64
	length int32
	result
}

// result is what of a run its cell's summary needs.
type result struct {
	throughput float64
	failed     bool
}

// newName is a file's name before it is whole.
func newName(name string) string { return name + ".new" }

// ErrOther means that a directory holds the results of something else.
var ErrOther = errors.New("the directory holds other results")

// OpenError means that a directory of results could not be begun or gone on
// with. Nothing was run.
type OpenError struct{ Err error }

func (e *OpenError) Error() string { return e.Err.Error() }
func (e *OpenError) Unwrap() error { return e.Err }

// Begin begins a directory of results, or goes on with it. In s are the
// sweep, the version, the kernel and the shard of who asks; what else the
// directory has of them is returned. An error is an *OpenError.
func Begin(dir string, grid grid.Grid, s Summary) (*Store, Summary, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, s, &OpenError{fmt.Errorf("make the directory of results: %w", err)}
	}
	lock, err := lockFile(filepath.Join(dir, lockName))
	if err != nil {
		return nil, s, &OpenError{fmt.Errorf("lock %s: %w", dir, err)}
	}
	st := &Store{dir: dir, lock: lock, grid: grid}
	n := 0
	for _, c := range grid.Cells {
		st.base = append(st.base, n)
		n += c.Repeat
	}
	st.entries = make([]entry, n)
	if s, err = st.begin(s); err == nil {
		err = st.load()
	}
	if err != nil {
		st.Close()
		return nil, s, &OpenError{err}
	}
	return st, s, nil
}

// begin makes sure that the directory is this sweep's.
func (st *Store) begin(s Summary) (Summary, error) {
	have, err := os.ReadFile(st.path(SweepName))
	if errors.Is(err, fs.ErrNotExist) {
		return s, st.create(s)
	}
	if err != nil {
		return s, fmt.Errorf("read the directory of results: %w", err)
	}
	if !bytes.Equal(have, []byte(s.Sweep)) {
		return s, fmt.Errorf("%w: %s is of another sweep", ErrOther, st.path(SweepName))
	}
	data, err := os.ReadFile(st.path(summaryName))
	if err != nil {
		return s, fmt.Errorf("read the directory of results: %w", err)
	}
	before, err := readSummary(data)
	if err != nil {
		return s, fmt.Errorf("%s: %w", st.path(summaryName), err)
	}
	for _, c := range []struct{ what, had, has string }{
		{"shard", before.Shard, s.Shard},
		{"kernel", before.Kernel.Key, s.Kernel.Key},
		{"version of unchoke", before.Version, s.Version},
	} {
		if c.had != c.has {
			return s, fmt.Errorf("%w: %s was started with %s %s, this is %s", ErrOther, st.dir, c.what, orNone(c.had), orNone(c.has))
		}
	}
	s.VirtualS, s.WallS = before.VirtualS, before.WallS
	return s, nil
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}

// create begins an empty directory.
func (st *Store) create(s Summary) error {
	if info, err := os.Stat(st.path(RunsName)); err == nil && info.Size() > 0 {
		if data, err := os.ReadFile(st.path(RunsName)); err != nil || bytes.Count(data, []byte("\n")) > 1 {
			return fmt.Errorf("%w: there is a %s that no %s belongs to", ErrOther, st.path(RunsName), SweepName)
		}
	}
	first, err := line(header(st.grid.Axes))
	if err != nil {
		return err
	}
	if err := st.replace(RunsName, first); err != nil {
		return err
	}
	if err := st.WriteSummary(s); err != nil {
		return err
	}
	return st.replace(SweepName, []byte(s.Sweep))
}

func (st *Store) path(name string) string { return filepath.Join(st.dir, name) }

// replace writes a file as keep does.
func (st *Store) replace(name string, data []byte) error {
	return st.keep(name, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	})
}

// keep is put for a file of the directory itself that stays whole also where the
// host loses its power.
func (st *Store) keep(name string, write func(*os.File) error) error {
	err := st.put(name, func(f *os.File) error {
		if err := write(f); err != nil {
			return err
		}
		return f.Sync()
	})
	if err != nil {
		return err
	}
	if err := state.SyncDir(st.dir); err != nil {
		return fmt.Errorf("write %s: %w", st.path(name), err)
	}
	return nil
}

// put gives a file its name when write is done with it.
func (st *Store) put(name string, write func(*os.File) error) error {
	err := func() error {
		f, err := os.Create(st.path(newName(name)))
		if err != nil {
			return err
		}
		defer f.Close()
		if err := write(f); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
		return os.Rename(f.Name(), st.path(name))
	}()
	if err != nil {
		_ = os.Remove(st.path(newName(name))) // else the next one replaces it
		if failed, ok := errors.AsType[*fs.PathError](err); ok {
			err = failed.Err // of the name before
		}
		return fmt.Errorf("write %s: %w", st.path(name), err)
	}
	return nil
}

// load reads what runs are there and cuts off a line that is not whole.
func (st *Store) load() error {
	f, err := os.OpenFile(st.path(RunsName), os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("open the runs: %w", err)
	}
	st.runs = f
	in := bufio.NewReader(f)
	first, err := line(header(st.grid.Axes))
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		l, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", st.path(RunsName), err)
		}
		if n == 1 && !bytes.Equal(l, first) {
			return fmt.Errorf("%w: the first line of %s is another header", ErrOther, st.path(RunsName))
		}
		if n > 1 {
			if err := st.note(l, st.size); err != nil {
				return fmt.Errorf("%s:%d: %w", st.path(RunsName), n, err)
			}
		}
		st.size += int64(len(l))
	}
	if err := f.Truncate(st.size); err != nil {
		return fmt.Errorf("cut off an unfinished line of %s: %w", st.path(RunsName), err)
	}
	return nil
}

// note takes a line that stands at an offset of runs.csv into the table.
func (st *Store) note(l []byte, offset int64) error {
	id, r, err := st.identify(l)
	if err != nil {
		return err
	}
	e := &st.entries[st.ordinal(id)]
	if e.length == 0 {
		*e = entry{offset, int32(len(l)), r}
		st.done++
		return nil
	}
	return st.same(id, *e, l)
}

// same says whether a run came out as it did before.
func (st *Store) same(id grid.RunID, e entry, l []byte) error {
	before := make([]byte, e.length)
	if _, err := st.runs.ReadAt(before, e.offset); err != nil {
		return fmt.Errorf("read %s: %w", st.path(RunsName), err)
	}
	if !bytes.Equal(before, l) {
		return &ConflictError{id.Cell, id.Repetition, strings.TrimSpace(string(before)), strings.TrimSpace(string(l))}
	}
	return nil
}

// ConflictError is a run that came out differently the second time. With the
// same file, kernel and program that must not be.
type ConflictError struct {
	Cell, Repetition int
	Before, Now      string // lines of runs.csv
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("run %d of cell %d came out differently a second time", e.Repetition, e.Cell)
}

// Pointer shows both lines.
func (e *ConflictError) Pointer() string { return e.Before + "\n" + e.Now }

// Hint is the next step.
func (e *ConflictError) Hint() string {
	return "check that both were made with the same kernel file and unchoke; if so, this is a bug of the lab"
}

// identify reads which run a line is of and its result, and checks that it
// belongs to the grid.
func (st *Store) identify(l []byte) (id grid.RunID, r result, err error) {
	record, err := csv.NewReader(bytes.NewReader(l)).Read()
	if err != nil {
		return id, r, err
	}
	if len(record) != len(identity)+len(st.grid.Axes)+len(figures) {
		return id, r, fmt.Errorf("%d fields, not %d", len(record), len(identity)+len(st.grid.Axes)+len(figures))
	}
	id.Cell, err = strconv.Atoi(record[0])
	if err != nil || id.Cell < 0 || id.Cell >= len(st.grid.Cells) {
		return id, r, fmt.Errorf("the grid has no cell %q", record[0])
	}
	c := st.grid.Cells[id.Cell]
	id.Repetition, err = strconv.Atoi(record[1])
	if err != nil || id.Repetition < 0 || id.Repetition >= c.Repeat {
		return id, r, fmt.Errorf("cell %d has no repetition %q", id.Cell, record[1])
	}
	if want := strconv.FormatUint(c.Seed(id.Repetition), 10); record[2] != want {
		return id, r, fmt.Errorf("seed %s where %s belongs", record[2], want)
	}
	if axes := record[len(identity):][:len(st.grid.Axes)]; !slices.Equal(axes, c.Axes) {
		return id, r, fmt.Errorf("axes %q where %q belong", axes, c.Axes)
	}
	r.failed = record[len(record)-1] != ""
	r.throughput, err = strconv.ParseFloat(record[len(identity)+len(st.grid.Axes)+throughputFigure], 64)
	return id, r, err
}

// throughputFigure is the index of throughput_bps among the figures.
var throughputFigure = slices.IndexFunc(figures, func(c column) bool { return c.name == "throughput_bps" })

// Count is how many runs are there.
func (st *Store) Count() int {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.done
}

func (st *Store) ordinal(id grid.RunID) int { return st.base[id.Cell] + id.Repetition }

// Of is what a run came to.
func (st *Store) Of(id grid.RunID) (throughput float64, done bool) {
	r, done := st.result(id)
	return r.throughput, done
}

func (st *Store) result(id grid.RunID) (r result, done bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	e := st.entries[st.ordinal(id)]
	return e.result, e.length > 0
}

// Add keeps a finished run. One that is there already must be the same.
func (st *Store) Add(id grid.RunID, r traffic.Result, series []traffic.Sample) (isNew bool, err error) {
	c := st.grid.Cells[id.Cell]
	row := grid.Row{
		Cell: id.Cell, Repetition: id.Repetition, Seed: c.Seed(id.Repetition), Sweep: c.Sweep,
		Path: c.Path, Traffic: c.Traffic, Arm: c.Arm, Result: r,
	}
	l, err := line(record(row, c.Axes))
	if err != nil {
		return false, err
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if e := st.entries[st.ordinal(id)]; e.length > 0 {
		return false, st.same(id, e, l)
	}
	if series != nil {
		if err := st.addSeries(id, series); err != nil {
			return false, err
		}
	}
	return true, st.append(l)
}

// append adds a line to runs.csv, whole or not at all.
func (st *Store) append(l []byte) error {
	if _, err := st.runs.WriteAt(l, st.size); err != nil {
		// What part of the line was written is cut off now or when the store
		// is opened next.
		_ = st.runs.Truncate(st.size)
		return fmt.Errorf("write %s: %w", st.path(RunsName), err)
	}
	if err := st.note(l, st.size); err != nil {
		return err
	}
	st.size += int64(len(l))
	return nil
}

func (st *Store) addSeries(id grid.RunID, series []traffic.Sample) error {
	if err := os.MkdirAll(st.path(SeriesName), 0o777); err != nil {
		return fmt.Errorf("make the directory of series: %w", err)
	}
	// Waiting for the disk would take as long as the run did.
	return st.put(filepath.Join(SeriesName, seriesFile(id.Cell, id.Repetition)), func(f *os.File) error {
		return writeSeries(f, series)
	})
}

// Sync waits until the runs are on the disk.
func (st *Store) Sync() error {
	if err := st.runs.Sync(); err != nil {
		return fmt.Errorf("write %s: %w", st.path(RunsName), err)
	}
	return nil
}

// Sort replaces runs.csv by one in the order of cells and repetitions, unless
// it is.
func (st *Store) Sort() error {
	first, err := line(header(st.grid.Axes))
	if err != nil {
		return err
	}
	end, sorted := int64(len(first)), true
	for _, e := range st.entries {
		if e.length > 0 {
			sorted = sorted && e.offset == end
			end += int64(e.length)
		}
	}
	if sorted && end == st.size { // else there are runs twice
		return nil
	}
	return st.keep(RunsName, func(f *os.File) error {
		out := bufio.NewWriter(f)
		return errors.Join(st.copyTo(out, first), out.Flush())
	})
}

// copyTo writes the header and the runs in order.
func (st *Store) copyTo(w io.Writer, first []byte) error {
	if _, err := w.Write(first); err != nil {
		return err
	}
	for _, e := range st.entries {
		if e.length == 0 {
			continue
		}
		if _, err := io.Copy(w, io.NewSectionReader(st.runs, e.offset, int64(e.length))); err != nil {
			return err
		}
	}
	return nil
}

// WriteSummary fills in what the runs so far say and writes it.
func (st *Store) WriteSummary(s Summary) error {
	s = st.Summary(s)
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("write the summary: %w", err)
	}
	return st.replace(summaryName, append(data, '\n'))
}

func (st *Store) Summary(s Summary) Summary {
	s.Schema = Schema
	s.Runs = st.Count()
	s.SpeedFactor, s.FailedRuns = 0, 0
	if s.WallS > 0 {
		s.SpeedFactor = s.VirtualS / s.WallS
	}
	s.Cells = make([]CellSummary, len(st.grid.Cells))
	for i, c := range st.grid.Cells {
		s.Cells[i] = CellSummary{
			Cell: i, Sweep: c.Sweep, Path: c.Path.String(), Traffic: grid.TrafficText(c.Traffic), Arm: c.Arm.String(),
			Axes: map[string]string{},
		}
		for k, name := range st.grid.Axes {
			s.Cells[i].Axes[name] = c.Axes[k]
		}
		var xs []float64
		for rep := range c.Repeat {
			r, done := st.result(grid.RunID{Cell: i, Repetition: rep})
			if done {
				xs = append(xs, r.throughput)
			}
			if r.failed {
				s.Cells[i].FailedRuns++
			}
		}
		s.Cells[i].summarize(xs)
		s.FailedRuns += s.Cells[i].FailedRuns
	}
	return s
}

func (st *Store) Close() {
	if st.runs != nil {
		st.runs.Close()
	}
	st.lock.Close()
}
