package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unchoke/internal/diagnose"
	"unchoke/internal/state"
	"unchoke/internal/tools/diagnosis/score"
)

const fixture = "../../diagnose/testdata/receive-window--near.json.gz"

// Where next to nothing counts as slow, a stream that its receiver holds back is
// healthy; the table says that this is for the worse.
func TestSensitivity(t *testing.T) {
	dir := t.TempDir()
	b, err := os.ReadFile(fixture)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, filepath.Base(fixture)), b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if err := run(t.Context(), []string{"-records", dir, "-by", "0.999"}, &out, &errs); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "1 of 1 verdicts") {
		t.Errorf("the tally: %s", &out)
	}
	lines := 0
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "| `slow-share` | 0.8 | 1 (0 right, 1 wrong) |") {
			lines++
		}
	}
	if lines != 1 {
		t.Errorf("no line says that slow-share decides:\n%s", &out)
	}
	if n := strings.Count(out.String(), "\n| `"); n != len(diagnose.Thresholds()) {
		t.Errorf("%d thresholds in the table", n)
	}
}

// What a bench keeps has its truth beside it: here that the path is healthy, so
// that the verdict is wrong until next to nothing counts as slow.
func TestOfABench(t *testing.T) {
	r, err := state.ReadRun(fixture)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	dir := score.Dir(t.TempDir())
	if err := errors.Join(dir.SaveKnown("1-1", score.Known{}), dir.SaveSaid("1-1", score.Said{Record: b})); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if err := run(t.Context(), []string{"-records", string(dir), "-by", "0.999"}, &out, &errs); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "| `slow-share` | 0.8 | 1 (1 right, 0 wrong) |") || !strings.Contains(out.String(), "0 of 1 verdicts") {
		t.Errorf("the table:\n%s", &out)
	}
}

func TestWithoutRecords(t *testing.T) {
	var out, errs bytes.Buffer
	for _, args := range [][]string{{"-records", t.TempDir()}, {"-by", "1"}, {"-records", fixture}} {
		if err := run(t.Context(), args, &out, &errs); err == nil {
			t.Errorf("%q is no error", args)
		}
	}
}
