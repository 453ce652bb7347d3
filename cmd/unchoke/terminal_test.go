package main

import (
	"bytes"
	"testing"
)

// A pipe or a file is no terminal: no colour, no bar, a fixed width.
func TestNoTerminal(t *testing.T) {
	var stdout, stderr bytes.Buffer
	got := newTerminal(&stdout, &stderr)
	if want := (terminal{width: defaultWidth}); got != want {
		t.Errorf("terminal %+v, want %+v", got, want)
	}
	a := &app{stdout: &stdout, stderr: &stderr, terminal: got}
	bar := a.startProgress("measuring")
	bar.set(0.5, "downloading")
	bar.done()
	if stdout.Len()+stderr.Len() > 0 {
		t.Errorf("printed %q and %q where there is no terminal", &stdout, &stderr)
	}
}

func TestProgressBar(t *testing.T) {
	var stderr bytes.Buffer
	a := &app{stderr: &stderr, terminal: terminal{progress: true}}
	bar := a.startProgress("measuring")
	for _, share := range []float64{-1, 0, 0.5, 1, 2} {
		bar.set(share, "downloading")
	}
	bar.done()
	if !bytes.Contains(stderr.Bytes(), []byte("downloading")) {
		t.Errorf("the bar does not say what it is at: %q", &stderr)
	}
}
