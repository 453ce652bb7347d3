package web

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The charts' library is as its README says.
func TestUPlotIsAsPublished(t *testing.T) {
	readme, err := os.ReadFile("static/uplot/README.md")
	if err != nil {
		t.Fatal(err)
	}
	sums := regexp.MustCompile(`(?m)^    ([0-9a-f]{64})  (\S+)$`).FindAllStringSubmatch(string(readme), -1)
	if len(sums) != 2 {
		t.Fatalf("the README has %d sums", len(sums))
	}
	for _, sum := range sums {
		content, err := fs.ReadFile(static, "static/uplot/"+sum[2])
		if err != nil {
			t.Fatal(err)
		}
		if got := sha256.Sum256(content); hex.EncodeToString(got[:]) != sum[1] {
			t.Errorf("%s is not what was published", sum[2])
		}
	}
}

// Nothing is fetched from outside, nothing is written as markup, and no script
// or style stands within the page.
func TestPageKeepsToItself(t *testing.T) {
	foreign := regexp.MustCompile(`https?://|//[a-z]+\.[a-z]|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|<script>|<style|\sstyle=|\son[a-z]+=`)
	err := fs.WalkDir(static, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(name, "static/uplot") || strings.HasSuffix(name, ".svg") {
			return err
		}
		content, err := fs.ReadFile(static, name)
		if found := foreign.Find(content); found != nil {
			t.Errorf("%s has %q", name, found)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
