package store

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"unchoke/internal/lab/sweep/grid"
	"unchoke/internal/lab/traffic"
)

// Files of a directory of results.
const (
	RunsName    = "runs.csv"     // one line a run; complete, in the order of cells and repetitions
	summaryName = "summary.json" // a Summary
	SweepName   = "sweep.yaml"   // the sweep file as resolved
	SeriesName  = "series"       // a directory of CELL-REPETITION.csv
	lockName    = ".lock"        // held while a run or a merge writes here
)

// ErrNoResults means that a directory holds no results of a sweep.
var ErrNoResults = errors.New("no results of a sweep")

// Results are what a sweep gave so far.
type Results struct {
	Dir     string
	Summary Summary
	Rows    []grid.Row // by cell, then repetition
}

// Open reads the results in a directory, also those of a sweep that still runs
// or was stopped: a last line that was cut off is left out.
func Open(dir string) (Results, error) {
	r := Results{Dir: dir}
	data, err := os.ReadFile(filepath.Join(dir, summaryName))
	if errors.Is(err, fs.ErrNotExist) {
		return r, fmt.Errorf("%s: %w", dir, ErrNoResults)
	}
	if err != nil {
		return r, fmt.Errorf("read results: %w", err)
	}
	if r.Summary, err = readSummary(data); err != nil {
		return r, fmt.Errorf("%s: %w", dir, err)
	}
	data, err = os.ReadFile(filepath.Join(dir, RunsName))
	if err != nil {
		return r, fmt.Errorf("read results: %w", err)
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	if r.Rows, err = ReadRows(bytes.NewReader(data[:whole])); err != nil {
		return r, fmt.Errorf("%s: %w", filepath.Join(dir, RunsName), err)
	}
	slices.SortFunc(r.Rows, func(a, b grid.Row) int {
		return cmp.Or(cmp.Compare(a.Cell, b.Cell), cmp.Compare(a.Repetition, b.Repetition))
	})
	return r, nil
}

// Series reads the samples of a run; none were asked for where the error is
// fs.ErrNotExist.
func (r Results) Series(row grid.Row) ([]traffic.Sample, error) {
	name := filepath.Join(r.Dir, SeriesName, seriesFile(row.Cell, row.Repetition))
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read series: %w", err)
	}
	samples, err := readSeries(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("read series %s: %w", name, err)
	}
	return samples, nil
}

func seriesFile(cell, repetition int) string {
	return strconv.Itoa(cell) + "-" + strconv.Itoa(repetition) + ".csv"
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
