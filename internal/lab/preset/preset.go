// Package preset names lab paths on which others reported a comparison, each
// with what they said of it: so that their figures can be held against the
// lab's own.
//
// A path's parameters come from the facts that the source gives. What a source
// leaves open is assumed for a stated reason, and not fitted to its rates.
package preset

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"unchoke/internal/path"
	"unchoke/internal/stats"
)

// Preset is a comparison in the lab: a path, arms, how long a trial takes.
type Preset struct {
	Name  string
	About string // one line
	Path  string // as path.Parse reads it
	// NearSysctl and FarSysctl are KEY=VALUE settings that the source names
	// and that hold for all arms.
	NearSysctl, FarSysctl []string

	Direction string   // of all arms: up or down
	Arms      []string // as `unchoke ab --arm` takes them; the first is the baseline
	Duration  time.Duration
	Omit      time.Duration // dropped from a trial's beginning

	Claim   Claim
	Assumed []string // what the source does not tell, and why it is set as it is
}

// Claim is what the source reported.
type Claim struct {
	Source string // title and date
	Said   string // its words for what it measured
	Arms   []Figure
}

// Figure is the source's, for one arm. A zero interval was not told; one of
// equal ends is a single figure.
type Figure struct {
	Rate  stats.Interval // bit/s
	Ratio stats.Interval // over the baseline, where the source says it itself
}

// All are the presets, in the order in which they are listed.
var All = []Preset{cellular, crossBorder, policedPOP, campus, starlink, chaos, cleanLAN}

// Find is the preset of a name.
func Find(name string) (Preset, error) {
	if i := slices.IndexFunc(All, func(p Preset) bool { return p.Name == name }); i >= 0 {
		return All[i], nil
	}
	names := make([]string, len(All))
	for i, p := range All {
		names[i] = p.Name
	}
	return Preset{}, &UnknownError{Name: name, Known: names}
}

// UnknownError names a preset that does not exist.
type UnknownError struct {
	Name  string
	Known []string
}

func (e *UnknownError) Error() string { return fmt.Sprintf("no lab preset is named %q", e.Name) }

// Hint lists those that there are.
func (e *UnknownError) Hint() string { return "presets are " + strings.Join(e.Known, ", ") }

// LabPath is the path as a value. A preset's text is well-formed: a test holds
// that.
func (p Preset) LabPath() path.Path {
	v, err := path.Parse(p.Path)
	if err != nil {
		panic(fmt.Sprintf("lab preset %s: %v", p.Name, err))
	}
	return v
}

// exactly is a figure given as a single number.
func exactly(v float64) stats.Interval { return stats.Interval{Low: v, High: v} }

// between is a figure given as a range.
func between(low, high float64) stats.Interval { return stats.Interval{Low: low, High: high} }

const (
	kbps = 1e3      // bit/s
	mbps = 1e6      // bit/s
	kBps = 8 * kbps // kilobytes a second, as curl says them
)
