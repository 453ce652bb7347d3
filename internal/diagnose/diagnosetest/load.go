// Package diagnosetest reads recorded checks for the tests of the diagnosis and its
// rooms. Only tests import it.
package diagnosetest

import (
	"slices"
	"testing"

	"unchoke/internal/record"
	"unchoke/internal/state"
)

// loaded keeps what was read: a fixture takes a moment to decode.
var loaded = map[string]*record.Run{}

// Load returns a copy of a fixture that may be changed.
func Load(t *testing.T, file string) *record.Run {
	t.Helper()
	if loaded[file] == nil {
		run, err := state.ReadRun(file)
		if err != nil {
			t.Fatal(err)
		}
		loaded[file] = run
	}
	return Clone(loaded[file])
}

// Clone copies as much of a record as these tests change.
func Clone(r *record.Run) *record.Run {
	out := *r
	out.Transfers = slices.Clone(r.Transfers)
	out.Echoes = slices.Clone(r.Echoes)
	for i := range out.Echoes {
		out.Echoes[i].Probes = slices.Clone(out.Echoes[i].Probes)
	}
	for i := range out.Transfers {
		t := &out.Transfers[i]
		t.Series = slices.Clone(t.Series)
		for i := range t.Series {
			t.Series[i].Samples = slices.Clone(t.Series[i].Samples)
		}
	}
	return &out
}

// ComeApart moves the echo probes of a record apart in time and keeps their RTTs, so that
// none comes with the one before.
func ComeApart(r *record.Run) {
	for _, e := range r.Echoes {
		for i := range e.Probes {
			e.Probes[i].At *= 1.2
		}
	}
}
