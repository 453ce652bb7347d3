package main

import (
	"fmt"
	"html"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	links   = regexp.MustCompile(`<(?:a|link|img|script)\b[^>]*?\b(?:href|src)="([^"]*)"`)
	anchors = regexp.MustCompile(`\b(?:id|name)="([^"]*)"`)
	code    = regexp.MustCompile(`(?s)<script\b[^>]*>.*?</script>`)
)

// checkLinks follows every link of a site's pages to its own files: each must be
// there, and have the place that the link names. Links to other sites are left
// alone.
func checkLinks(dir string) (checked int, broken []error, err error) {
	texts := map[string]string{} // by path, with slashes
	places := map[string]map[string]bool{}
	err = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		places[rel] = map[string]bool{}
		if !strings.HasSuffix(rel, ".html") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		texts[rel] = string(text)
		for _, m := range anchors.FindAllStringSubmatch(texts[rel], -1) {
			places[rel][html.UnescapeString(m[1])] = true
		}
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	for page, text := range texts {
		if page == "404.html" || page == "toc.html" {
			continue // whose links begin at the server's root, and the list of pages, which every page has
		}
		for _, m := range links.FindAllStringSubmatch(code.ReplaceAllStringFunc(text, opening), -1) {
			target, err := url.Parse(html.UnescapeString(m[1]))
			if err != nil {
				broken = append(broken, fmt.Errorf("%s: %q: %w", page, m[1], err))
				continue
			}
			if target.Scheme != "" || target.Host != "" {
				continue
			}
			checked++
			file := page
			if target.Path != "" {
				file = path.Join(path.Dir(page), target.Path)
			}
			if strings.HasSuffix(target.Path, "/") {
				file += "/index.html"
			}
			at, there := places[file]
			switch {
			case !there:
				broken = append(broken, fmt.Errorf("%s: %q: there is no %s", page, m[1], file))
			case target.Fragment != "" && !at[target.Fragment]:
				broken = append(broken, fmt.Errorf("%s: %q: %s has no such place", page, m[1], file))
			}
		}
	}
	return checked, broken, nil
}

// opening is a script's tag without the script.
func opening(element string) string { return element[:strings.IndexByte(element, '>')+1] }
