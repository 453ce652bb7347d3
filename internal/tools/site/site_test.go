package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if err := os.Chdir("../../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// Every document is in the site, and what it links to is there; places within
// pages are checked by `make docs`, in the pages themselves.
func TestDocuments(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "man"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := stage(dir); err != nil {
		t.Fatal(err)
	}
	pages, err := copyDocuments(dir)
	if err != nil || len(pages) < 20 {
		t.Fatalf("%q, %v", pages, err)
	}
	link := regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)]*)?\)`)
	for _, page := range pages {
		if page == "SUMMARY.md" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			target := path.Join(path.Dir(page), m[1])
			st, err := os.Stat(filepath.Join(dir, target))
			switch {
			case err != nil:
				t.Errorf("%s links to %s, which is not in the site", page, target)
			case st.IsDir():
				t.Errorf("%s links to the directory %s: link to a page in it", page, target)
			}
		}
	}
}

func TestCheckLinks(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"index.html":   `<h1 id="top">x</h1><a href="a/b.html#here">1</a><a href="https://example.org/">2</a><a href="#top">3</a><img src="gone.png"><script>'<a href="no">'</script>`,
		"a/b.html":     `<h2 id="here">y</h2><a class="x" href="../index.html">4</a><a href="../index.html#nowhere">5</a><a href="./">6</a>`,
		"a/index.html": ``,
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	checked, broken, err := checkLinks(dir)
	if err != nil || checked != 6 || len(broken) != 2 {
		t.Errorf("%d checked, broken %v, %v", checked, broken, err)
	}
}
