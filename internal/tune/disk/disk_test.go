package disk

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "99-zz-unchoke.conf")
	own := File{Mode: 0o640, UID: os.Getuid(), GID: os.Getgid()}
	look := func(content string, want File) {
		t.Helper()
		got, err := OS{}.Look(name)
		if runtime.GOOS != "windows" && (err != nil || got != want) {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
		if want.Type == 0 {
			if b, err := (OS{}).Read(name); err != nil || string(b) != content {
				t.Errorf("%q, %v, want %q", b, err, content)
			}
		}
		if names, err := (OS{}).List(dir); err != nil || len(names) != 1 {
			t.Errorf("in the directory: %v, %v", names, err)
		}
	}
	// A crash left this.
	if err := os.WriteFile(Temp(name), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"a = 1\n", "a = 2\n"} {
		if err := Replace(OS{}, name, own, []byte(content)); err != nil {
			t.Fatal(err)
		}
		look(content, own)
	}
	link := File{Type: fs.ModeSymlink, Target: "../sysctl.conf", Mode: 0o777, UID: own.UID, GID: own.GID}
	if err := Replace(OS{}, name, link, nil); err != nil {
		t.Fatal(err)
	}
	look("", link)
	if err := Replace(OS{}, name, own, []byte("a = 3\n")); err != nil {
		t.Fatal(err)
	}
	look("a = 3\n", own)
	for range 2 {
		if err := Remove(OS{}, name); err != nil {
			t.Error(err)
		}
	}
}

// A failure leaves the old file and nothing else.
func TestReplaceFails(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "occupied")
	if err := os.MkdirAll(filepath.Join(name, "by a directory"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Replace(OS{}, name, File{Mode: 0o644, UID: os.Getuid(), GID: os.Getgid()}, nil); err == nil {
		t.Error("a directory was replaced")
	}
	if names, err := (OS{}).List(dir); err != nil || len(names) != 1 {
		t.Errorf("in the directory: %v, %v", names, err)
	}
}

func TestMkdirAll(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	for range 2 {
		if err := MkdirAll(OS{}, dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	f, err := OS{}.Look(dir)
	if err != nil || f.Type != fs.ModeDir || runtime.GOOS != "windows" && f.Mode != 0o700 {
		t.Errorf("%+v, %v", f, err)
	}
}
