package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"unchoke/internal/lab/sweep/grid"
	"unchoke/internal/lab/traffic"
)

// A disk that is full stops the sweep with an error that says so; what was
// finished before is whole.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	st, _, err := Begin(dir, grid.Grid{Cells: []grid.Cell{{Repeat: 2}}}, Summary{Sweep: "name: x\n"})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	add := func(rep int) error {
		_, err := st.Add(grid.RunID{Cell: 0, Repetition: rep}, traffic.Result{Throughput: 1}, nil)
		return err
	}
	if err := add(0); err != nil {
		t.Fatal(err)
	}
	read := func() string {
		data, err := os.ReadFile(filepath.Join(dir, RunsName))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	before := read()
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("this platform has no /dev/full")
	}
	if err != nil {
		t.Fatal(err)
	}
	real := st.runs
	st.runs = full
	if err := add(1); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v, want %v", err, syscall.ENOSPC)
	}
	full.Close()
	st.runs = real
	if got := read(); got != before {
		t.Errorf("the runs are now\n%s", got)
	}
	if err := add(1); err != nil {
		t.Errorf("with room again: %v", err)
	}
}
