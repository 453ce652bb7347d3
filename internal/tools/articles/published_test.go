package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unchoke/internal/lab/preset"
	"unchoke/internal/stats"
)

// The document has a row for every arm of every preset, and it can be read.
func TestPublished(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "articles.md"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := rates(string(data))
	if err != nil {
		t.Fatal(err)
	}
	arms := map[string]int{}
	for at := range all {
		arms[at.preset]++
	}
	for _, p := range preset.All {
		if arms[p.Name] != len(p.Arms) {
			t.Errorf("%s: %d of %d arms are in the document", p.Name, arms[p.Name], len(p.Arms))
		}
	}
	if got := all[row{"cross-border", "cubic"}]; got.Low < 100e3 || got.High > 2e6 || got.Low > got.High {
		t.Errorf("cross-border, cubic: %v", got)
	}
}

func TestJudge(t *testing.T) {
	const published = "| a | cubic | 80 Mbit/s | 78.5 Mbit/s \\[66.2–92.6\\] | 0.981× |  |  | 0.03 % |\n|  | bbr | 2 kbit/s | 541 kbit/s |  |  |  |  |\n"
	was, err := rates(published)
	if err != nil || len(was) != 2 || was[row{"a", "bbr"}] != (stats.Interval{Low: 541e3, High: 541e3}) {
		t.Fatalf("%v, %v", was, err)
	}
	for now, want := range map[string]string{
		published: "",
		"| a | cubic |  | 60 Mbit/s \\[55.0–66.0\\] |  |  |  |  |\n":  "",
		"| a | cubic |  | 60 Mbit/s \\[55.0–65.0\\] |  |  |  |  |\n":  "a, cubic: 5.5e+07 to 6.5e+07 bit/s, and 6.62e+07 to 9.26e+07",
		"| a | cubic |  | 99 Mbit/s \\[95.0–105.0\\] |  |  |  |  |\n": "a, cubic: ",
		"| a | bbr |  | 560 kbit/s |  |  |  |  |\n":                   "a, bbr: ",
		"| b | bbr |  | 560 kbit/s |  |  |  |  |\n":                   "b, bbr is not published",
		"| a | bbr |  | 541 Mbit/s \\[540.0–542.0\\] |  |  |  |  |\n": "a, bbr: ",
	} {
		is, err := rates(now)
		if err != nil {
			t.Fatal(err)
		}
		if err := judge(is, was); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", now, err, want)
		}
	}
}
