// Package language reads sweep files, YAML whose lists are axes, and the presets
// among them, prints them, and makes their grids. Its errors point at the place.
package language

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"unchoke/internal/lab/sweep/grid"
	"unchoke/internal/lab/traffic"
	"unchoke/internal/path"
	"unchoke/internal/unit"
	"unchoke/internal/words"
)

// File is a sweep file: one sweep or several that belong together.
type File struct {
	Name        string
	Description string
	// UntilCI ends a cell as soon as the 95 % interval of its mean throughput is
	// within ± this share of the mean; 0 runs every repetition.
	UntilCI unit.Ratio
	// Series is how far apart the samples of a run's TCP_INFO are; 0 keeps none.
	Series  time.Duration
	Several bool // written as a list of sweeps, whose names are then an axis
	Sweeps  []Sweep
}

// Sweep is a grid of paths × traffic × arms, each cell run so many times.
type Sweep struct {
	Name        string
	Description string
	Seed        uint64
	Repeat      int // with UntilCI, at most
	Paths       Section
	Traffic     Section
	Arms        Section
	Exclude     []Exclusion
	at          place
}

// Section is what one of a sweep's sections asks for: keys and their values,
// in the order of the file.
type Section struct {
	Settings []Setting
	at       place
}

// Setting is one key with its values. As a list in the file, and be it of one
// value, it is an axis.
type Setting struct {
	Key    string
	Values []Value
	Axis   bool
	at     place
}

// Value is one value as the file has it.
type Value struct {
	Text  string
	canon string // the same for all ways to write it
	at    place
}

// Exclusion leaves out the cells that have one of its values of every key that
// it names.
type Exclusion struct{ Paths, Traffic, Arms Section }

// vocabulary is what a section's keys and values may be.
type vocabulary struct {
	section string   // its name in the file
	axis    string   // before a key, the name of its column
	words   []string // the keys
	// check says whether a value suits its key: the value in a form that is
	// the same for all ways to write it, or what is allowed and an error.
	check func(key, value string) (canon, allowed string, err error)
}

var (
	pathWords    = vocabulary{"paths", "path", path.Keys(), checkPath}
	trafficWords = vocabulary{"traffic", "traffic", grid.TrafficKeys.Names(), checker(grid.TrafficKeys)}
	armWords     = vocabulary{"arms", "arm", grid.ArmKeys.Names(), checker(grid.ArmKeys)}
)

// section is the sweep's section of a vocabulary.
func (s *Sweep) section(v vocabulary) *Section {
	switch v.section {
	case pathWords.section:
		return &s.Paths
	case trafficWords.section:
		return &s.Traffic
	}
	return &s.Arms
}

func (e *Exclusion) section(v vocabulary) *Section {
	s := Sweep{Paths: e.Paths, Traffic: e.Traffic, Arms: e.Arms}
	return s.section(v)
}

func checkPath(key, value string) (canon, allowed string, err error) {
	// What shapes jitter, stands before a bottleneck or changes a rate needs
	// one to be there. What holds frames may be as short as the least path's.
	spec := key + "=" + value
	switch baseKey(key) {
	case "dist", "order":
		spec = "jitter=1ms," + spec
	case "queue":
		spec = "mtu=1280,rate=1mbit," + spec
	case "policer", "udp.policer":
		spec = "mtu=1280," + spec
	case "cross":
		spec = "rate=1mbit," + spec
	case path.ScheduleKey:
		spec = "rate=1mbit,udp.rate=1mbit," + spec
	case "pmtud":
		spec = "mtu=1400," + spec
	}
	p, err := path.Parse(spec)
	if wrong, ok := errors.AsType[*path.ParseError](err); ok {
		return "", wrong.Allowed, errors.New(wrong.Problem)
	}
	return p.String(), "", err
}

func checker[T any](keys words.Keys[T]) func(string, string) (string, string, error) {
	return func(name, value string) (canon, allowed string, err error) {
		k, ok := keys.Find(name)
		if !ok {
			return "", "", fmt.Errorf("unknown key %q", name)
		}
		var v T
		if err := k.Set(&v, value); err != nil {
			return "", name + " takes " + k.Allowed, fmt.Errorf("bad value for %s: %w", name, err)
		}
		return keys.Text(v), "", nil
	}
}

// find is the setting of a key.
func (s Section) find(key string) (Setting, bool) {
	for _, set := range s.Settings {
		if set.Key == key {
			return set, true
		}
	}
	return Setting{}, false
}

// Load reads a sweep file, or the preset of that name. A file is meant where
// the name has a path separator or a dot.
func Load(name string) (File, error) {
	if data, ok := presetData(name); ok {
		return Parse("preset "+name, data)
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return File{}, &unknownError{name}
	}
	if err != nil {
		return File{}, fmt.Errorf("read sweep: %w", err)
	}
	return Parse(name, data)
}

// unknownError is a name of neither a file nor a preset.
type unknownError struct{ name string }

func (e *unknownError) Error() string {
	return fmt.Sprintf("%q is neither a sweep file nor a preset%s", e.name, suggest(e.name, presetNames()))
}

// Hint names the presets.
func (e *unknownError) Hint() string { return "presets are " + oneOf(presetNames()) }

// defaults of a load.
const (
	defaultDuration = 10 * time.Second
	defaultWrite    = 8 * unit.KiB
	defaultChunk    = 4 * time.Second
)

// completeTraffic fills in a load's defaults and refuses what contradicts its
// kind; key is the setting that is wrong.
func completeTraffic(s *traffic.Spec) (key, problem string) {
	if s.Kind == "" {
		s.Kind = traffic.Bulk
	}
	if s.Duration == 0 {
		s.Duration = defaultDuration
	}
	switch {
	case s.Kind == traffic.Bulk && s.Rate > 0:
		return "rate", "bulk traffic is as fast as TCP allows and has no rate"
	case s.Kind != traffic.Bulk && s.Rate == 0:
		return "", string(s.Kind) + " traffic needs a rate"
	case s.Kind != traffic.Paced && s.Write > 0:
		return "write", "only paced traffic has a write size"
	case s.Kind != traffic.Paced && s.CatchUp:
		return "catch_up", "only paced traffic can catch up"
	case s.Kind != traffic.Chunked && s.Chunk > 0:
		return "chunk", "only chunked traffic has chunks"
	case s.ReadEvery > 0 && s.Read == 0:
		return "read_every", "reads at intervals need a size: read"
	case s.Omit >= s.Duration:
		return "omit", fmt.Sprintf("a run of %v cannot omit %v", s.Duration, s.Omit)
	}
	if s.Kind == traffic.Paced && s.Write == 0 {
		s.Write = defaultWrite
	}
	if s.Kind == traffic.Chunked && s.Chunk == 0 {
		s.Chunk = defaultChunk
	}
	return "", ""
}
