//go:build !slim

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"unchoke/cmd/unchoke/internal/tunecmd"
	farend "unchoke/internal/session"
	"unchoke/internal/tune/disk"
)

// farTuneVerbs are the verbs of tune that a session runs for its near end.
var farTuneVerbs = []string{"plan", "try", "apply", "confirm", "verify", "status", "revert"}

// runLine is run, which refers to all commands and so to this one.
var runLine func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int

func init() { runLine = run }

// sessionTune runs a verb of tune for the near end, as a person would here.
func sessionTune(ctx context.Context, q farend.Tune) (farend.Tuned, error) {
	if len(q.Args) == 0 || !slices.Contains(farTuneVerbs, q.Args[0]) {
		return farend.Tuned{}, errors.New("tune: a session runs its verbs " + strings.Join(farTuneVerbs, ", "))
	}
	var out, said bytes.Buffer
	status := runLine(ctx, append([]string{"tune"}, q.Args...), strings.NewReader(q.Input), &out, &said)
	return farend.Tuned{
		Status: status, Output: out.String(), Errors: said.String(),
		Now: time.Now(), DiskFree: disk.Free(tunecmd.Dir(os.DirFS("/"))),
	}, nil
}

// sessionTuner is what a session of this build does of tune.
var sessionTuner = sessionTune

// sessionDoes are the requests of a session beside those that all builds know.
var sessionDoes = []string{farend.DoTune}
