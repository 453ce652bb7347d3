// Package ls lists directories as io/fs does, in less code: fs.ReadDir, fs.Glob and
// os.ReadDir sort by an instance of generic code, which is 12 KB of the slim build.
package ls

import (
	"errors"
	"io/fs"
	"sort"
)

// Dir lists a directory, sorted by name. Where reading fails on the way, it also
// returns what it has read.
func Dir(tree fs.FS, name string) ([]fs.DirEntry, error) {
	f, err := tree.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.ErrUnsupported}
	}
	entries, err := d.ReadDir(-1)
	sort.SliceStable(entries, func(i, j int) bool { return entries[i].Name() < entries[j].Name() })
	return entries, err
}
