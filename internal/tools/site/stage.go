package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// parts are the site's pages of this repository in their order; those of docs that
// are in none, docs/decisions and the manual follow.
var parts = []struct {
	title string
	pages []string
}{
	{"", []string{"index.md"}},
	{"Use it", []string{
		"docs/install.md", "docs/flow.md", "docs/url.md", "docs/watch.md", "docs/prometheus.md", "contrib/index.md", "docs/tune.md", "docs/ansible.md", "docs/ansible-reference.md", "docs/predict.md",
		"docs/tunnels.md", "docs/lab-run.md", "docs/iperf3.md", "docs/schema/index.md", "CHANGELOG.md",
	}},
	{"How it decides", []string{
		"docs/diagnosis.md", "docs/diagnosis-bench.md", "docs/diagnosis-draws.md", "docs/predict-draws.md", "docs/comparison.md", "docs/articles.md", "docs/jitter-cliff.md", "docs/conformance.md",
	}},
	{"Work on it", []string{"docs/architecture.md", "docs/hacking.md"}},
}

// decisions has a page for each.
const decisions = "docs/decisions"

// stage copies all pages below a directory, as they are in the repository, so
// that the links between them hold, and writes mdBook's list of them. It returns
// how many there are.
func stage(dir string) (int, error) {
	var listed []string
	var list strings.Builder
	add := func(title string, pages []string) error {
		if title != "" {
			fmt.Fprintf(&list, "\n# %s\n\n", title)
		}
		for _, page := range pages {
			title, err := heading(filepath.Join(dir, page))
			if err != nil {
				return err
			}
			bullet := "- "
			if len(listed) == 0 {
				bullet = "" // what stands before all parts
			}
			fmt.Fprintf(&list, "%s[%s](%s)\n", bullet, title, page)
			listed = append(listed, page)
		}
		return nil
	}
	found, err := copyDocuments(dir)
	if err != nil {
		return 0, err
	}
	for _, p := range parts {
		if err := add(p.title, p.pages); err != nil {
			return 0, err
		}
	}
	below := func(prefix string) (pages []string) {
		for _, page := range found {
			if strings.HasPrefix(page, prefix+"/") {
				pages = append(pages, page)
			}
		}
		return pages
	}
	var others []string
	for _, page := range found {
		known := slices.Contains(listed, page)
		if !known && !strings.HasPrefix(page, decisions+"/") && !strings.HasPrefix(page, "man/") {
			others = append(others, page)
		}
	}
	if len(others) > 0 {
		if err := add("More", others); err != nil {
			return 0, err
		}
	}
	history := below(decisions)
	slices.SortStableFunc(history, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	if err := add("Decisions", history); err != nil {
		return 0, err
	}
	if err := add("Manual", manualOrder(below("man"))); err != nil {
		return 0, err
	}
	return len(listed), os.WriteFile(filepath.Join(dir, "SUMMARY.md"), []byte(list.String()), 0o644)
}

// rank puts the page about the others before them.
func rank(page string) int {
	if path.Base(page) == "index.md" {
		return 0
	}
	return 1
}

// manualOrder has each command before those beneath it.
func manualOrder(pages []string) []string {
	slices.SortFunc(pages, func(a, b string) int {
		return strings.Compare(strings.TrimSuffix(a, ".md"), strings.TrimSuffix(b, ".md"))
	})
	return pages
}

// toReadme is a link to a README.md, of which mdBook makes an index.html without
// changing the links to it.
var toReadme = regexp.MustCompile(`(\]\([^)\s]*)README\.md`)

// copyDocuments copies what the site shows, schemas included, and returns all
// pages below a directory, sorted. Each README.md is an index.md.
func copyDocuments(dir string) (pages []string, err error) {
	for _, name := range []string{"README.md", "CHANGELOG.md", "contrib/README.md"} {
		if err := copyDocument(name, dir); err != nil {
			return nil, err
		}
	}
	err = filepath.WalkDir("docs", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return copyDocument(name, dir)
	})
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".md") {
			page, _ := filepath.Rel(dir, name)
			pages = append(pages, filepath.ToSlash(page))
		}
		return err
	})
	slices.Sort(pages)
	return pages, err
}

func copyDocument(name, dir string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if strings.HasSuffix(name, ".md") {
		text = toReadme.ReplaceAll(text, []byte("${1}index.md"))
	}
	to := filepath.Join(dir, indexed(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}

// indexed is where a document is in the site.
func indexed(name string) string {
	if path.Base(name) == "README.md" {
		return path.Join(path.Dir(name), "index.md")
	}
	return name
}

// heading is a page's title.
func heading(name string) (string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if title, ok := strings.CutPrefix(lines.Text(), "# "); ok {
			return title, nil
		}
	}
	return "", fmt.Errorf("%s has no title", path.Base(name))
}
