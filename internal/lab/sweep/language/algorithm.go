package language

import (
	"slices"

	"unchoke/internal/lab/sweep/grid"
)

// CheckAlgorithms says where the file asks for a congestion control that is
// not among a kernel's; the error is a *FileError.
func (f File) CheckAlgorithms(have []string) error {
	for _, s := range f.Sweeps {
		for _, set := range s.Arms.Settings {
			if set.Key == "streams" {
				continue
			}
			for _, v := range set.Values {
				if set.Key == "neighbor" && v.Text == grid.NoNeighbor || slices.Contains(have, v.Text) {
					continue
				}
				return v.at.errorf("the kernel has "+oneOf(have)+`; "unchoke lab kernel build" makes another, --kernel names it`,
					"the kernel has no congestion control %q%s", v.Text, suggest(v.Text, have))
			}
		}
	}
	return nil
}

// UsesAlgorithms says whether the file names any congestion control.
func (f File) UsesAlgorithms() bool {
	return slices.ContainsFunc(f.Sweeps, func(s Sweep) bool {
		return slices.ContainsFunc(s.Arms.Settings, func(set Setting) bool { return set.Key != "streams" })
	})
}
