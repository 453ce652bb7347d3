package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unchoke/internal/lab/analysis"
	"unchoke/internal/lab/sweep/grid"
	"unchoke/internal/lab/sweep/language"
	labreport "unchoke/internal/report/lab"
)

func cells(agree ...bool) []analysis.Compared {
	var list []analysis.Compared
	for _, ok := range agree {
		list = append(list, analysis.Compared{CC: "cubic", Ratio: 1, Agrees: ok})
	}
	return list
}

func TestJudge(t *testing.T) {
	some := func(agree, all int) []analysis.Compared {
		list := make([]bool, all)
		for i := range agree {
			list[i] = true
		}
		return cells(list...)
	}
	runs := func(n int) []analysis.Cell { return []analysis.Cell{{Throughput: analysis.Sample{N: n}}} }
	ranks := make([]analysis.Rank, 39)
	for name, c := range map[string]struct {
		a    analysis.Agreement
		runs int
		want string // missed; empty for none
	}{
		"jitter as published":        {analysis.Agreement{Jitter: some(81, 84)}, 5, ""},
		"one jitter cell less":       {analysis.Agreement{Jitter: some(80, 84)}, 5, "jitter runs: 80 of 84 agree, and 81 of 84 were published"},
		"five loss runs a cell":      {analysis.Agreement{Loss: some(27, 28)}, 5, ""},
		"one loss cell less":         {analysis.Agreement{Loss: some(26, 28)}, 5, "loss runs: 26 of 28"},
		"forty loss runs a cell":     {analysis.Agreement{Loss: some(27, 28)}, 40, "loss runs: 27 of 28 agree, and 28 of 28"},
		"another leads":              {analysis.Agreement{Ranks: ranks}, 5, "ranked: 0 of 39"},
		"theory, as published":       {analysis.Agreement{Theory: some(6, 7)}, 5, ""},
		"theory, one cell less":      {analysis.Agreement{Theory: some(5, 7)}, 5, "RFC 9438: 5 of 7"},
		"a figure of the text":       {analysis.Agreement{Published: some(26, 27)}, 5, "text: 26 of 27"},
		"runs that nobody published": {analysis.Agreement{Jitter: some(1, 84)}, 7, ""},
	} {
		if got := strings.Join(judge(c.a, runs(c.runs)), "; "); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Some cells have more runs, from another sweep of the study.
func TestRuns(t *testing.T) {
	all := []analysis.Cell{{Throughput: analysis.Sample{N: 25}}, {Throughput: analysis.Sample{N: 5}}, {Throughput: analysis.Sample{N: 3}}}
	if got := runs([]analysis.Compared{{Cell: -1}, {Cell: 0}, {Cell: 1}}, all); got != 5 {
		t.Errorf("%d runs a cell, want 5", got)
	}
}

// What is asked for is what the document says.
func TestPublished(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "jitter-cliff.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range published {
		found := false
		for line := range strings.Lines(string(data)) {
			cells := strings.Split(line, " | ")
			if len(cells) < 4 || !strings.HasPrefix(cells[0], "| "+p.part) || p.runs > 0 && !strings.Contains(cells[0], fmt.Sprintf(", %d ", p.runs)) {
				continue
			}
			found = true
			if cells[2] != fmt.Sprint(p.agree) || cells[3] != fmt.Sprint(p.of) {
				t.Errorf("%+v, and the document says %s of %s", p, cells[2], cells[3])
			}
		}
		if !found {
			t.Errorf("the document has no row for %+v", p)
		}
	}
}

func TestRead(t *testing.T) {
	var doc bytes.Buffer
	if err := labreport.New(analysis.Study{Name: "empty"}, "v0", "", 0).JSON(&doc); err != nil {
		t.Fatal(err)
	}
	if lab, err := read(&doc); err != nil || lab.Name != "empty" {
		t.Errorf("%+v, %v", lab, err)
	}
	for _, bad := range []string{"", "{", `{"schema":"other/1"}`} {
		if _, err := read(strings.NewReader(bad)); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
	if err := run(t.Context(), nil, io.Discard, io.Discard); err == nil {
		t.Error("no directory: no error")
	}
}

// The sweep that theory is compared with is one, and long enough for it.
func TestTheorySweep(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("theory.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := language.Parse("theory.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	g, err := file.Grid()
	if err != nil {
		t.Fatal(err)
	}
	var rows []grid.Row
	for _, c := range g.Cells {
		row := grid.Row{Cell: c.Index, Seed: c.Seed(0), Path: c.Path, Traffic: c.Traffic, Arm: c.Arm}
		row.Throughput, row.CC = 1e6, c.Arm.CC
		rows = append(rows, row)
	}
	if got := len(analysis.Analyse(analysis.Study{Rows: rows}).Agreement.Theory); got != len(g.Cells) {
		t.Errorf("%d of %d cells are compared with theory", got, len(g.Cells))
	}
}
