package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func keep(t *testing.T, dir string, info Info) {
	t.Helper()
	d := filepath.Join(dir, info.Key)
	if err := os.MkdirAll(d, 0o755); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(info)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{infoName: data, imageName: []byte("kernel")} {
		if err := os.WriteFile(filepath.Join(d, name), text, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	if _, err := Find([]string{dir}, ""); !errors.Is(err, ErrNone) {
		t.Errorf("nothing built: %v, want %v", err, ErrNone)
	}
	old := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	keep(t, dir, Info{Key: "aaaa1", Version: "6.12.9", Recipe: recipe(), BuiltAt: old})
	keep(t, dir, Info{Key: "aaaa2", Version: "6.12.57", Recipe: recipe(), BuiltAt: old})
	keep(t, dir, Info{Key: "bbbb", Version: "6.12.57", Recipe: recipe(), BuiltAt: old.Add(time.Hour)})
	keep(t, dir, Info{Key: "cccc", Version: "6.18.1", Recipe: recipe(), Patches: []string{"x.patch"}})
	keep(t, dir, Info{Key: "dddd", Version: "6.18.2", Recipe: "of another version"})
	for _, c := range []struct{ name, key string }{
		{"", "bbbb"}, // newest version, then latest built, ours, unpatched
		{"cc", "cccc"},
		{"aaaa1", "aaaa1"},
		{filepath.Join(dir, "dddd", imageName), "dddd"},
	} {
		info, err := Find([]string{dir}, c.name)
		if err != nil || info.Key != c.key {
			t.Errorf("Find(%q): %q, %v; want %q", c.name, info.Key, err, c.key)
		}
	}
	for _, name := range []string{"aaaa", "eeee", "/no/such/file", dir} {
		if info, err := Find([]string{dir}, name); err == nil {
			t.Errorf("Find(%q) found %q", name, info.Key)
		}
	}
}

func TestNewestSource(t *testing.T) {
	dir := t.TempDir()
	glob := filepath.Join(dir, "linux-source-*.tar.*")
	var missing *MissingError
	if _, err := newestSource(glob); !errors.As(err, &missing) {
		t.Errorf("no source: %v, want a MissingError", err)
	}
	for _, v := range []string{"6.1", "6.5"} {
		touch(t, dir, "linux-source-"+v+".tar.xz")
	}
	if path, err := newestSource(glob); err == nil {
		t.Errorf("%s is older than %s", path, MinVersion)
	}
	for _, v := range []string{"6.12", "6.6", "6.9"} {
		touch(t, dir, "linux-source-"+v+".tar.xz")
	}
	if path, err := newestSource(glob); err != nil || filepath.Base(path) != "linux-source-6.12.tar.xz" {
		t.Errorf("newest: %s, %v", path, err)
	}
}

func TestNewestPackage(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
	}{
		{nil, "linux-source-6.12"},
		{[]string{"linux-source-6.1"}, "linux-source-6.12"}, // Debian 12
		{[]string{"linux-source-6.1", "linux-source-6.12", "linux-source-6.9"}, "linux-source-6.12"},
		{[]string{"linux-source-6.8.0"}, "linux-source-6.8.0"}, // Ubuntu 24.04
		{[]string{"linux-source-6.18", "linux-source-6.19-rt"}, "linux-source-6.18"},
	} {
		if got := newestPackage(c.names); got != c.want {
			t.Errorf("of %q: %s, want %s", c.names, got, c.want)
		}
	}
}

func touch(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestCompareVersions(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"6.6", "6.12", -1}, {"6.12.57", "6.12.9", 1}, {"6.12", "6.12", 0}, {"6.12-rc1", "6.12", 0}, {"7.0", "6.18.3", 1}} {
		if got := compareVersions(c.a, c.b); got != c.want {
			t.Errorf("compare %s with %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestEdit(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "arch/um/Kconfig")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	const source = "config A\n\tint\n\nconfig HZ\n\tint\n\tdefault 100\n\n"
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := hertz.apply(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if want := "config A\n\tint\n\nconfig HZ\n\tint\n\tdefault 1000\n\n"; err != nil || string(text) != want {
		t.Errorf("edited: %q, %v; want %q", text, err, want)
	}
	if err := hertz.apply(dir); err == nil {
		t.Error("an edit whose text is not there was applied")
	}
}

func TestMissingTools(t *testing.T) {
	none := func(string) (string, error) { return "", errors.New("not found") }
	err := checkTools(none, os.Stat, Options{Source: "linux", Patches: []string{"x.patch"}})
	var missing *MissingError
	if !errors.As(err, &missing) {
		t.Fatalf("no tools: %v, want a MissingError", err)
	}
	if want := "apt-get install make gcc binutils flex bison bc perl tar xz-utils patch"; !strings.HasPrefix(missing.Hint(), want+";") {
		t.Errorf("hint %q, want %q", missing.Hint(), want)
	}
}

func TestPatchFiles(t *testing.T) {
	dir := t.TempDir()
	if _, err := patchFiles([]string{dir}); err == nil {
		t.Error("a directory without patches was taken")
	}
	for _, name := range []string{"0002-b.patch", "0001-a.diff", "README"} {
		touch(t, dir, name)
	}
	files, err := patchFiles([]string{dir})
	if err != nil || len(files) != 2 || filepath.Base(files[0]) != "0001-a.diff" || filepath.Base(files[1]) != "0002-b.patch" {
		t.Errorf("patches: %v, %v", files, err)
	}
}

// Where the tar that unpacks a copied tree dies, the one that packs it ends too.
func TestUnpackEndsBothTars(t *testing.T) {
	tree, bin := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(tree, "large"), make([]byte, 1<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	tar, err := exec.LookPath("tar")
	if err != nil {
		t.Skip(err)
	}
	script := "#!/bin/sh\n[ \"$1\" = -x ] && exit 3\nexec " + tar + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "tar"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	err = source{path: tree}.unpack(ctx, filepath.Join(t.TempDir(), "copy"), io.Discard, func(int64) {})
	if ctx.Err() != nil || err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("%v; out of time: %v", err, ctx.Err())
	}
}
