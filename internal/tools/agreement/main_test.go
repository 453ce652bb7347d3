package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unchoke/internal/lab/analysis"
	"unchoke/internal/lab/sweep"
	"unchoke/internal/report"
)

func cells(agree ...bool) []analysis.Compared {
	var list []analysis.Compared
	for _, ok := range agree {
		list = append(list, analysis.Compared{CC: "cubic", Ratio: 1, Agrees: ok})
	}
	return list
}

func TestJudge(t *testing.T) {
	ten := cells(true, true, true, true, true, true, true, true, true, false)
	for name, c := range map[string]struct {
		a    analysis.Agreement
		want string // in the error; empty for none
	}{
		"nine of ten jitter cells": {analysis.Agreement{Jitter: ten}, ""},
		"nine of ten loss cells":   {analysis.Agreement{Loss: ten}, "loss runs: 9 of 10"},
		"eight of nine":            {analysis.Agreement{Jitter: ten[1:]}, "jitter runs: 8 of 9"},
		"another leads":            {analysis.Agreement{Ranks: []analysis.Rank{{}}}, "ranked: 0 of 1"},
		"theory":                   {analysis.Agreement{Theory: cells(false)}, "RFC 9438: 0 of 1"},
		"the text asks nothing":    {analysis.Agreement{Published: cells(false)}, ""},
		"nothing compared":         {analysis.Agreement{}, "no cell"},
	} {
		err := judge(c.a)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestRead(t *testing.T) {
	var doc bytes.Buffer
	if err := report.NewLab(analysis.Study{Name: "empty"}, "v0", "", 0).JSON(&doc); err != nil {
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
	if err := run(nil, io.Discard, io.Discard); err == nil {
		t.Error("no directory: no error")
	}
}

// The sweep that theory is compared with is one, and long enough for it.
func TestTheorySweep(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("theory.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := sweep.Parse("theory.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	grid, err := file.Grid()
	if err != nil {
		t.Fatal(err)
	}
	var rows []sweep.Row
	for _, c := range grid.Cells {
		row := sweep.Row{Cell: c.Index, Seed: c.Seed(0), Path: c.Path, Traffic: c.Traffic, Arm: c.Arm}
		row.Throughput, row.CC = 1e6, c.Arm.CC
		rows = append(rows, row)
	}
	if got := len(analysis.Analyse(analysis.Study{Rows: rows}).Agreement.Theory); got != len(grid.Cells) {
		t.Errorf("%d of %d cells are compared with theory", got, len(grid.Cells))
	}
}
