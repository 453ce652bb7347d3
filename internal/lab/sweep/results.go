package sweep

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

	"unchoke/internal/lab/traffic"
)

// Files of a directory of results.
const (
	runsName    = "runs.csv"     // one line a run; complete, in the order of cells and repetitions
	summaryName = "summary.json" // a Summary
	sweepName   = "sweep.yaml"   // the sweep file as resolved
	seriesName  = "series"       // a directory of CELL-REPETITION.csv
	lockName    = ".lock"        // held while a run or a merge writes here
)

// ErrNoResults means that a directory holds no results of a sweep.
var ErrNoResults = errors.New("no results of a sweep")

// Results are what a sweep gave so far.
type Results struct {
	Dir     string
	Summary Summary
	Rows    []Row // by cell, then repetition
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
	data, err = os.ReadFile(filepath.Join(dir, runsName))
	if err != nil {
		return r, fmt.Errorf("read results: %w", err)
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	if r.Rows, err = ReadRows(bytes.NewReader(data[:whole])); err != nil {
		return r, fmt.Errorf("%s: %w", filepath.Join(dir, runsName), err)
	}
	slices.SortFunc(r.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Cell, b.Cell), cmp.Compare(a.Repetition, b.Repetition))
	})
	return r, nil
}

// Series reads the samples of a run; none were asked for where the error is
// fs.ErrNotExist.
func (r Results) Series(row Row) ([]traffic.Sample, error) {
	name := filepath.Join(r.Dir, seriesName, seriesFile(row.Cell, row.Repetition))
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
