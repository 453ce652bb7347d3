package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A file of a package: every one is root's.
type file struct {
	path string // absolute, where it is installed
	mode os.FileMode
	data []byte
}

// in is the file with what a path begins with replaced: zsh's completions, for
// one, have no place on which distributions agree.
func moved(files []file, from, to string) []file {
	files = slices.Clone(files)
	for i, f := range files {
		if rest, ok := strings.CutPrefix(f.path, from); ok {
			files[i].path = to + rest
		}
	}
	return files
}

// without leaves out what is beneath a directory.
func without(files []file, dir string) []file {
	return slices.DeleteFunc(slices.Clone(files), func(f file) bool { return strings.HasPrefix(f.path, dir+"/") })
}

// packed is what gzip makes of a page, with no name and no time in it.
func packed(text []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// readTree reads a directory's files for a package's directory.
func readTree(dir, into string, mode os.FileMode) ([]file, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []file
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, file{into + "/" + e.Name(), mode, data})
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no file in %s", dir)
	}
	return files, nil
}
