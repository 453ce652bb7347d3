package cli

import (
	"bytes"
	"strings"
	"testing"
)

// A pipe or a file is no terminal: no colour, no bar, no width.
func TestNoTerminal(t *testing.T) {
	var stdout, stderr bytes.Buffer
	got := NewTerminal(&stdout, &stderr)
	if want := (Terminal{}); got != want {
		t.Errorf("terminal %+v, want %+v", got, want)
	}
	a := &App{Stdout: &stdout, Stderr: &stderr, Terminal: got}
	bar := a.StartProgress("measuring")
	bar.Set(0.5, "downloading")
	bar.Done()
	if stdout.Len()+stderr.Len() > 0 {
		t.Errorf("printed %q and %q where there is no terminal", &stdout, &stderr)
	}
}

func TestProgressBar(t *testing.T) {
	var stderr bytes.Buffer
	a := &App{Stderr: &stderr, Terminal: Terminal{out: screen{width: 200}, err: screen{width: 50, lively: true}}}
	bar := a.StartProgress("measuring")
	for _, share := range []float64{-1, 0, 0.5, 0.5, 1, 2} {
		bar.Set(share, "downloading from a host with a long name\n\x1b[2J")
	}
	bar.Lines("block 1\n")
	bar.Done()
	drawn := strings.Split(stderr.String(), clearLine)
	if drawn[len(drawn)-1] != "" || len(drawn) != 7 { // before the first, four shares, above the bar, done
		t.Errorf("drawn %q", drawn)
	}
	for _, line := range drawn[1:] {
		line = strings.TrimPrefix(line, "block 1\n")
		if strings.ContainsAny(line, "\n\x1b") || len([]rune(line)) >= 50 {
			t.Errorf("%q does not stay within its line", line)
		}
	}
	if !strings.Contains(stderr.String(), "downloadi") || !strings.Contains(stderr.String(), " 50 % ▕███████████████   ") {
		t.Errorf("the bar does not say what it is at: %q", &stderr)
	}
}
