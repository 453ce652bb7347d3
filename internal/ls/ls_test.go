package ls

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
)

func names(entries []fs.DirEntry) (out []string) {
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// As fs.ReadDir lists a directory, Dir does.
func TestDir(t *testing.T) {
	disk := t.TempDir()
	if err := os.Mkdir(filepath.Join(disk, "10"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"z", "a", "9", "10/b"} {
		if err := os.WriteFile(filepath.Join(disk, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	inMemory := fstest.MapFS{"z": {}, "a": {}, "10/b": {}, "9": {}}
	for form, tree := range map[string]fs.FS{"disk": os.DirFS(disk), "memory": inMemory} {
		for _, name := range []string{".", "10"} {
			got, err := Dir(tree, name)
			want, wantErr := fs.ReadDir(tree, name)
			if err != nil || wantErr != nil || !slices.Equal(names(got), names(want)) {
				t.Errorf("%s, %s: %v, %v, want %v, %v", form, name, names(got), err, names(want), wantErr)
			}
		}
		if _, err := Dir(tree, "none"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s, a directory that is not there: %v", form, err)
		}
		if got, err := Dir(tree, "a"); err == nil {
			t.Errorf("%s, a file: %v", form, got)
		}
	}
}

// broken is a directory that fails after its first entries.
type broken struct{ fs.ReadDirFile }

func (b broken) Open(string) (fs.File, error) { return b, nil }
func (broken) Close() error                   { return nil }
func (broken) ReadDir(int) ([]fs.DirEntry, error) {
	info := func(name string) fs.DirEntry {
		file, _ := fs.Stat(fstest.MapFS{name: {}}, name)
		return fs.FileInfoToDirEntry(file)
	}
	return []fs.DirEntry{info("b"), info("a")}, fs.ErrPermission
}

func TestDirInPart(t *testing.T) {
	got, err := Dir(broken{}, ".")
	if !errors.Is(err, fs.ErrPermission) || !slices.Equal(names(got), []string{"a", "b"}) {
		t.Errorf("%v, %v", names(got), err)
	}
}
