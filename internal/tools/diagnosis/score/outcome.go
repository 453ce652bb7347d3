// Package score holds verdicts against truths: what was drawn, what stock
// iperf3 found out about it and what a check said, as files and as tables.
package score

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"unchoke/internal/finding"
	"unchoke/internal/state"
	"unchoke/internal/tools/diagnosis/draw"
	"unchoke/internal/tools/diagnosis/truth"
)

// Known is a path with its truth.
type Known struct {
	Draw  draw.Draw   `json:"draw"`
	Truth truth.Truth `json:"truth"`
}

// Said is what a check said of a path.
type Said struct {
	Verdict  finding.Cause `json:"verdict"`
	Findings []Named       `json:"findings"`
	Wall     float64       `json:"wall_s,omitempty"`
	CPU      float64       `json:"cpu_s,omitempty"` // of the lab's machine
	Error    string        `json:"error,omitempty"`
	// Weighed is how long the copies of the path took in the lab; 0 where none
	// were tried.
	Weighed float64 `json:"weighed_s,omitempty"`
	// Record is the unchoke.record that the findings rest on.
	Record json.RawMessage `json:"record,omitempty"`
}

// Named is a finding's head.
type Named struct {
	Cause      finding.Cause  `json:"cause"`
	Direction  draw.Direction `json:"direction"`
	Confidence float64        `json:"confidence"`
}

// Failed is the verdict of a check that gave none.
const Failed finding.Cause = "failed"

// Confidence of the verdict.
func (s Said) Confidence() float64 {
	for _, f := range s.Findings {
		if f.Cause == s.Verdict {
			return f.Confidence
		}
	}
	return 0
}

// Causes are those of all findings.
func (s Said) Causes() []finding.Cause {
	var out []finding.Cause
	for _, f := range s.Findings {
		out = append(out, f.Cause)
	}
	return out
}

// Outcome is a path, its truth and what was said of it.
type Outcome struct {
	Known
	Said Said
}

// Right says whether the verdict is.
func (o Outcome) Right() bool { return o.Truth.Right(o.Said.Verdict) }

// unnamed are the certain causes that no finding names.
func (o Outcome) unnamed() []truth.Cause { return o.Truth.Unnamed(o.Said.Causes()) }

// beside are the causes that findings name besides the verdict, each once.
func (o Outcome) beside() []finding.Cause {
	var out []finding.Cause
	for _, c := range o.Said.Causes() {
		if c != o.Said.Verdict && c.Fault() && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// The two files of a path. What a check says is apart, so that it can be asked
// again without finding out the truth again.
const (
	knownEnding = ".truth.json"
	saidEnding  = ".check.json"
)

// Dir is where outcomes are kept.
type Dir string

// LoadKnown reads a path's truth; fs.ErrNotExist where there is none yet.
func (d Dir) LoadKnown(name string) (k Known, err error) { return k, d.Load(name+knownEnding, &k) }

// LoadSaid reads what was said of a path; fs.ErrNotExist where there is none.
func (d Dir) LoadSaid(name string) (s Said, err error) { return s, d.Load(name+saidEnding, &s) }

// SaveKnown keeps a path's truth.
func (d Dir) SaveKnown(name string, k Known) error { return d.Save(name+knownEnding, k) }

// SaveSaid keeps what was said of a path.
func (d Dir) SaveSaid(name string, s Said) error { return d.Save(name+saidEnding, s) }

// Names of the paths whose truth is known, in order.
func (d Dir) Names() ([]string, error) {
	files, err := filepath.Glob(filepath.Join(string(d), "*"+knownEnding))
	if err != nil {
		return nil, err
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), knownEnding)
	}
	slices.Sort(files)
	if len(files) == 0 {
		return nil, fmt.Errorf("read outcomes from %s: %w", string(d), fs.ErrNotExist)
	}
	return files, nil
}

// Find is a path's truth: the one that is kept, or one that is found in the lab
// by runs of which so many seconds count, and kept. The zero Dir keeps nothing.
func (d Dir) Find(ctx context.Context, lab truth.Lab, seconds int, x draw.Draw) (Known, error) {
	if d != "" {
		if k, err := d.LoadKnown(x.Name()); !errors.Is(err, fs.ErrNotExist) {
			return k, err
		}
	}
	found, err := truth.Find(ctx, lab, seconds, x)
	if err != nil {
		return Known{}, fmt.Errorf("find the truth of %s: %w", x.Name(), err)
	}
	k := Known{Draw: x, Truth: found}
	if d != "" {
		err = d.SaveKnown(x.Name(), k)
	}
	return k, err
}

// Load reads a file of JSON of this directory.
func (d Dir) Load(file string, into any) error {
	data, err := os.ReadFile(filepath.Join(string(d), file))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("read %s: %w", filepath.Join(string(d), file), err)
	}
	return nil
}

// Save writes one, whole or not at all.
func (d Dir) Save(file string, v any) error {
	return state.Replace(filepath.Join(string(d), file), func(w io.Writer) error { return json.NewEncoder(w).Encode(v) })
}
