package lab

import (
	"slices"
	"strings"

	"unchoke/internal/lab/analysis"
)

// sharedPath is what the paths of all cells have in common, as items of their
// text. A study of one path has nothing to tell cells apart by.
func sharedPath(cells []analysis.Cell) []string {
	if len(cells) == 0 {
		return nil
	}
	first := pathItems(cells[0])
	shared, differ := slices.Clone(first), false
	for _, c := range cells[1:] {
		items := pathItems(c)
		differ = differ || !slices.Equal(items, first)
		shared = slices.DeleteFunc(shared, func(item string) bool { return !slices.Contains(items, item) })
	}
	if !differ {
		return nil
	}
	return shared
}

func pathItems(c analysis.Cell) []string { return strings.Split(c.Path.String(), ",") }

// path names a cell's path beside the study's others: by what it does not
// share with all of them.
func (l Report) path(c analysis.Cell) string {
	own := slices.DeleteFunc(pathItems(c), func(item string) bool { return slices.Contains(l.shared, item) })
	if len(own) == 0 {
		return "nothing else"
	}
	return strings.Join(own, ",")
}
