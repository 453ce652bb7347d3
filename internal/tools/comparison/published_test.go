package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The document's rows can be read, and are of noises that are simulated.
func TestPublished(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "comparison.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := published(string(data))
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 7 || rows["normal, CV 10 %"] != (shares{5.4, 100}) {
		t.Errorf("%v", rows)
	}
	for _, n := range unlike {
		if _, ok := rows[n.name]; !ok {
			t.Errorf("%s was not published", n.name)
		}
	}
	for name := range rows {
		if !slices.ContainsFunc(slices.Concat(noises, unlike), func(n noise) bool { return n.name == name }) {
			t.Errorf("%s is not simulated", name)
		}
	}
	if _, err := published("| a | b |\n"); err == nil {
		t.Error("a document without the table: no error")
	}
}

func TestJudgeShares(t *testing.T) {
	was := shares{5.4, 79.6}
	for now, want := range map[shares]string{
		was:         "",
		{5.6, 79.4}: "",
		{0, 100}:    "",
		{5.7, 79.6}: "a ratio of 1 is called different in 5.7 %, and 5.4 % was published",
		{5.4, 79.3}: "a ratio of 1.3 is found in 79.3 %, and 79.6 % was published",
	} {
		if err := judgeShares("x", now, was); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", now, err, want)
		}
	}
}
