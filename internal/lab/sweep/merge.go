package sweep

import (
	"errors"
	"path/filepath"

	"unchoke/internal/lab/sweep/grid"
	"unchoke/internal/lab/sweep/language"
	"unchoke/internal/lab/sweep/store"
)

// Merge puts the results of shards of one sweep together in a directory, as if
// one host had made them all: its runs.csv has the same bytes. Runs that are
// in several of the shards must be the same. The directory may hold what an
// earlier merge of the sweep put there. Where shards are missing or incomplete
// the result is incomplete too, and Run goes on from it.
func Merge(dirs []string, out string) (store.Summary, error) {
	if len(dirs) == 0 {
		return store.Summary{}, errors.New("nothing to merge")
	}
	var s store.Summary
	var f language.File
	for i, dir := range dirs {
		one, err := store.SummaryOf(dir)
		if err != nil {
			return s, err
		}
		if i == 0 {
			s = one
			if f, err = language.Parse(filepath.Join(dir, store.SweepName), []byte(s.Sweep)); err != nil {
				return s, err
			}
			continue
		}
		if err := s.Join(one, dirs[0], dir); err != nil {
			return s, err
		}
	}
	g, err := f.Grid()
	if err != nil {
		return s, err
	}
	s.Shard = ""
	lots := grid.Lots(g.Cells, f.UntilCI)
	s.PlannedRuns = grid.Planned(lots, g.Cells)
	virtual, wall := s.VirtualS, s.WallS
	st, s, err := store.Begin(out, g, s)
	if err != nil {
		return s, err
	}
	s.VirtualS, s.WallS = virtual, wall // of the shards, whatever was there
	defer st.Close()
	for _, dir := range dirs {
		if err := st.Take(dir); err != nil {
			return s, err
		}
	}
	if err := errors.Join(st.Sync(), st.Sort()); err != nil {
		return s, err
	}
	s.Complete = true
	for _, l := range lots {
		s.Complete = s.Complete && l.Next(g.Cells, f.UntilCI, st.Of) == nil
	}
	s = st.Summary(s)
	return s, st.WriteSummary(s)
}
