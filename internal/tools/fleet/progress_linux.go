package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"unchoke/internal/state"
)

// progress is what a bench has shown. It is kept after each part, so that one
// which was stopped goes on there: with the same program, seed and fleet.
type progress struct {
	Of       string        `json:"of"`
	Parts    []string      `json:"parts"`               // that were done
	Rollouts int           `json:"rollouts"`            // begun, to be killed
	Killed   int           `json:"killed"`              // of these, before they were done
	Ended    int           `json:"ended"`               // of these, as they should
	Wrong    int           `json:"wrong"`               // parts and rollouts
	Took     time.Duration `json:"rollout_nanoseconds"` // of a rollout to its end
	Told     []string      `json:"told"`                // what was printed
	file     string        // empty: it is not kept
}

// resume is the progress kept in a directory, where it is of the same; none
// otherwise.
func resume(dir, of string) (*progress, error) {
	p := &progress{Of: of}
	if dir == "" {
		return p, nil
	}
	file := filepath.Join(dir, "progress.json")
	text, err := os.ReadFile(file)
	switch kept := (&progress{}); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		if err := json.Unmarshal(text, kept); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if kept.Of == of {
			p = kept
		}
	}
	p.file = file
	return p, nil
}

// keep writes it, whole or not at all.
func (p *progress) keep() error {
	if p.file == "" {
		return nil
	}
	return state.Replace(p.file, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(p)
	})
}

// sum names a program by what is in it.
func sum(program string) (string, error) {
	f, err := os.Open(program)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}
