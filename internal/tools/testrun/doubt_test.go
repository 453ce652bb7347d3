package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestDoubtful(t *testing.T) {
	type failure struct {
		test, said string
	}
	for _, c := range []struct {
		name     string
		failures []failure
		want     []string
	}{
		{"one", []failure{{"TestA", "got 1"}}, []string{"TestA"}},
		{"by a subtest", []failure{{"TestA/x/y", "got 1"}, {"TestA/x", ""}, {"TestA", ""}}, []string{"TestA/x/y"}},
		{"two", []failure{{"TestB", ""}, {"TestA", ""}}, []string{"TestA", "TestB"}},
		{"a name that begins alike", []failure{{"TestA", ""}, {"TestAB", ""}}, []string{"TestA", "TestAB"}},
		{"too many", []failure{{"TestA", ""}, {"TestB", ""}, {"TestC", ""}}, nil},
		{"a data race", []failure{{"TestA", "testing.go:1: race detected during execution of test"}}, nil},
		{"a panic beside one", []failure{{"TestA", ""}, {"TestB", "panic: runtime error"}}, nil},
		{"outside of tests", []failure{{"", "FAIL p [build failed]"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newResults()
			r.note(name{"p", "TestGood"}, passed, nil)
			for _, f := range c.failures {
				r.note(name{"p", f.test}, failed, []string{f.said})
			}
			var got []string
			for _, test := range r.doubtful() {
				got = append(got, test.test)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("doubted %q, want %q", got, c.want)
			}
		})
	}
}

func TestAlone(t *testing.T) {
	got := alone("CGO_ENABLED=1 -race -short -count=1 ./a ./...", name{"unchoke/a", "TestA/x_(y)"})
	want := `CGO_ENABLED=1 -race -short -count=2 -run=^TestA$/^x_\(y\)$ unchoke/a`
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A real go test: TestOnce fails in its first run, TestAlways in every one.
func TestDoubt(t *testing.T) {
	for _, c := range []struct {
		tests  string
		status int
		last   string
	}{
		{"TestOnce", 0, "unchoke: 2 passed, 0 failed, 1 flaky, 0 skipped"},
		{"TestAlways", 1, "unchoke: 0 passed, 1 failed, 0 flaky, 0 skipped"},
		{"Test", 1, "unchoke: 2 passed, 1 failed, 1 flaky, 0 skipped"},
	} {
		t.Run(c.tests, func(t *testing.T) {
			dir := t.TempDir()
			write := func(file, text string) {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			write("go.mod", "module flaky\n\ngo 1.24\n")
			write("flaky_test.go", `package flaky

import (
	"os"
	"testing"
)

func TestOnce(t *testing.T) {
	t.Run("good", func(t *testing.T) {})
	t.Run("first", func(t *testing.T) {
		if os.Mkdir("ran", 0o755) == nil {
			t.Error("the first run")
		}
	})
}

func TestAlways(t *testing.T) { t.Error("always") }
`)
			t.Chdir(dir)
			var out, errs bytes.Buffer
			if status := run([]string{"-count=1 -run=" + c.tests + " ."}, false, &out, &errs); status != c.status {
				t.Errorf("exit status %d, want %d", status, c.status)
			}
			if !strings.HasSuffix(strings.TrimSpace(out.String()), c.last) {
				t.Errorf("want %q at the end of:\n%s%s", c.last, &out, &errs)
			}
		})
	}
}
