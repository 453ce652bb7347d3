package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// tarball writes the files below a directory of the release's name, as they
// would be installed beneath /usr: to unpack anywhere, or with
// tar -C /usr --strip-components=1.
func (b *builder) tarball(t target, files []file) error {
	version, _, _ := b.commit.versions()
	top := "unchoke-" + version + "-linux-" + t.name
	text, err := archive(top, moved(files, zshDir, zshElsewhere), b.commit.time)
	if err != nil {
		return err
	}
	zipped, err := packed(text)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.out, top+".tar.gz"), zipped, 0o644)
}

// archive is a tar of the files, in the order of their names, with every
// directory before what is in it.
func archive(top string, files []file, modified time.Time) ([]byte, error) {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.path, b.path) })
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	seen := map[string]bool{}
	var directory func(dir string) error
	directory = func(dir string) error {
		if seen[dir] || dir == "." {
			return nil
		}
		if err := directory(path.Dir(dir)); err != nil {
			return err
		}
		seen[dir] = true
		return w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755, Uname: "root", Gname: "root", ModTime: modified})
	}
	for _, f := range files {
		name := path.Join(top, strings.TrimPrefix(f.path, "/usr"))
		if err := directory(path.Dir(name)); err != nil {
			return nil, err
		}
		header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: int64(f.mode), Size: int64(len(f.data)), Uname: "root", Gname: "root", ModTime: modified}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
