package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// The manual has a page for every command, and none refers to one that is
// missing.
func TestManual(t *testing.T) {
	dir := t.TempDir()
	var said bytes.Buffer
	for _, args := range [][]string{
		{"manual", dir, "--date", "2026-01-02"},
		{"manual", dir, "--format", "markdown"},
	} {
		if status := run(t.Context(), args, nil, &said, &said); status != 0 {
			t.Fatalf("%q: status %d: %s", args, status, &said)
		}
	}
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for _, name := range []string{"unchoke", "unchoke-check", "unchoke-lab-exec", "unchoke-tune-revert"} {
		if text := read(name + ".1"); !bytes.Contains(text, []byte(`"2026\-01\-02"`)) {
			t.Errorf("%s.1 has no date: %.80s", name, text)
		}
	}
	link := regexp.MustCompile(`\]\(([a-z-]+\.md)\)`)
	found := 0
	pages, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		for _, m := range link.FindAllSubmatch(read(filepath.Base(page)), -1) {
			read(string(m[1]))
			found++
		}
	}
	if found < len(pages) {
		t.Errorf("%d links in %d pages", found, len(pages))
	}
	if status := run(t.Context(), []string{"manual", dir, "--format", "html"}, nil, &said, &said); status != 2 {
		t.Errorf("an unknown format: status %d", status)
	}
}
