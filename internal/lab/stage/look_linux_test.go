package stage

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestLook(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"bin/run": 0o755, "bin/data": 0o644, "later/data": 0o755, "here": 0o755} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"PATH=/nowhere", "PATH=" + dir + "/bin:later"}
	for _, c := range []struct{ name, path string }{
		{"run", dir + "/bin/run"},
		{"data", dir + "/later/data"}, // past one that is not executable; from a relative PATH
		{"./here", dir + "/here"},
		{"bin/run", dir + "/bin/run"},
		{dir + "/here", dir + "/here"},
	} {
		if path, err := look(c.name, dir, env); err != nil || path != c.path {
			t.Errorf("%s: %s, %v; want %s", c.name, path, err, c.path)
		}
	}
	for _, c := range []struct {
		name   string
		status int
	}{
		{"here", StatusNotFound}, // not in PATH
		{"none", StatusNotFound},
		{"./none", StatusNotFound},
		{"bin/data", StatusNotExecutable},
		{"./bin", StatusNotExecutable},
		{"", StatusNotFound},
	} {
		_, err := look(c.name, dir, env)
		var failure *Failure
		if !errors.As(err, &failure) || failure.Status != c.status {
			t.Errorf("%q: %v, want status %d", c.name, err, c.status)
		}
	}
	if _, err := look("data", dir, []string{"PATH=" + dir + "/bin"}); err == nil || err.(*Failure).Status != StatusNotExecutable {
		t.Errorf("only a file that is not executable in PATH: %v", err)
	}
}
